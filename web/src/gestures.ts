// SPDX-License-Identifier: BSD-3-Clause
// Mouse, pen and touch on a plot. Positions are fractions of the plot box, y upwards.

import { el } from './dom';

export interface GestureTarget {
  hover(x: number, y: number): void;
  leave(): void;
  select(x: [number, number] | null, y: [number, number] | null): void;
  pinch(factor: number, x: number, y: number, shiftX: number, shiftY: number): void;
  reset(): void;
  pick(x: number): void; // a click or a tap
  dragAxes(shift: boolean): 'x' | 'xy';
}

interface Spot {
  x: number;
  y: number;
}

const leastDrag = 5;

export function attachGestures(box: HTMLElement, target: GestureTarget): void {
  const rectangle = el('div', { class: 'select' });
  const fingers = new Map<number, Spot>();
  let tap: Spot | null = null;
  let start: Spot | null = null;
  let axes: 'x' | 'xy' = 'x';

  const spotOf = (event: { clientX: number; clientY: number }): Spot => {
    const r = box.getBoundingClientRect();
    return { x: event.clientX - r.left, y: event.clientY - r.top };
  };
  const clamp = (v: number, max: number): number => Math.min(max, Math.max(0, v));
  const fraction = (s: Spot): Spot => ({ x: s.x / box.clientWidth, y: 1 - s.y / box.clientHeight });

  // If a dragged box is nearly flat, only its long side is zoomed.
  const dragged = (from: Spot, to: Spot): { x: boolean; y: boolean } => {
    const wide = Math.abs(to.x - from.x) >= leastDrag;
    const high = Math.abs(to.y - from.y) >= leastDrag;
    if (axes === 'x') return { x: wide, y: false };
    const thin = 12;
    const x = wide && (Math.abs(to.x - from.x) > thin || !high);
    const y = high && (Math.abs(to.y - from.y) > thin || !wide);
    return x || y ? { x, y } : { x: wide, y: high };
  };

  const showRectangle = (from: Spot, to: Spot): void => {
    const used = dragged(from, to);
    const left = used.x ? Math.min(from.x, to.x) : 0;
    const top = used.y ? Math.min(from.y, to.y) : 0;
    const width = used.x ? Math.abs(to.x - from.x) : box.clientWidth;
    const height = used.y ? Math.abs(to.y - from.y) : box.clientHeight;
    rectangle.style.cssText = `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
    rectangle.hidden = !(used.x || used.y);
    if (!rectangle.parentNode) box.append(rectangle);
  };

  const finishDrag = (end: Spot): void => {
    const from = start;
    start = null;
    rectangle.remove();
    if (!from) return;
    const used = dragged(from, end);
    if (!used.x && !used.y) {
      target.pick(fraction(end).x);
      return;
    }
    const a = fraction(from);
    const b = fraction(end);
    target.select(
      used.x ? [Math.min(a.x, b.x), Math.max(a.x, b.x)] : null,
      used.y ? [Math.min(a.y, b.y), Math.max(a.y, b.y)] : null,
    );
  };

  const bounded = (event: PointerEvent): Spot => {
    const s = spotOf(event);
    return { x: clamp(s.x, box.clientWidth), y: clamp(s.y, box.clientHeight) };
  };

  const movePinch = (event: PointerEvent): void => {
    const before = [...fingers.values()];
    fingers.set(event.pointerId, spotOf(event));
    const after = [...fingers.values()];
    if (before.length !== 2) return;
    const reach = (s: Spot[]): number => Math.max(20, Math.hypot(s[0].x - s[1].x, s[0].y - s[1].y));
    const middle = (s: Spot[]): Spot => fraction({ x: (s[0].x + s[1].x) / 2, y: (s[0].y + s[1].y) / 2 });
    const was = middle(before);
    const now = middle(after);
    target.pinch(reach(before) / reach(after), now.x, now.y, was.x - now.x, was.y - now.y);
  };

  box.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch') {
      fingers.set(event.pointerId, spotOf(event));
      tap = fingers.size === 1 ? spotOf(event) : null;
      if (fingers.size === 1) target.hover(fraction(bounded(event)).x, fraction(bounded(event)).y);
      return;
    }
    if (event.button !== 0) return;
    box.setPointerCapture(event.pointerId);
    axes = target.dragAxes(event.shiftKey);
    start = bounded(event);
  });
  box.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch' && fingers.size > 1) {
      movePinch(event);
      return;
    }
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, spotOf(event));
    const here = bounded(event);
    if (start) showRectangle(start, here);
    const f = fraction(here);
    target.hover(f.x, f.y);
  });
  box.addEventListener('pointerup', (event) => {
    fingers.delete(event.pointerId);
    if (start) finishDrag(bounded(event));
    const end = spotOf(event);
    if (tap && Math.hypot(end.x - tap.x, end.y - tap.y) < leastDrag) target.pick(fraction(end).x);
    tap = null;
  });
  box.addEventListener('pointercancel', (event) => {
    fingers.delete(event.pointerId);
    start = tap = null;
    rectangle.remove();
  });
  box.addEventListener('pointerleave', (event) => {
    // After a touch the cursor stays, so that the values can be read.
    if (event.pointerType !== 'touch') target.leave();
  });
  box.addEventListener('dblclick', () => target.reset());
  box.addEventListener(
    'wheel',
    (event) => {
      // The wheel alone scrolls the page; with Ctrl (as trackpads do for a pinch) it zooms.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const f = fraction(bounded(event as unknown as PointerEvent));
      target.pinch(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) * 0.006), f.x, f.y, 0, 0);
    },
    { passive: false },
  );
}
