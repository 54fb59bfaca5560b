// SPDX-License-Identifier: BSD-3-Clause
// The cycles around the point of an envelope that the reader has clicked.

import { cycleAt, lastCycle, startOf, windowAround, type CycleWindow } from './cycles';
import { el } from './dom';
import { formatNumber, grouped } from './format';
import { timeCharts } from './groups';
import { XLink } from './link';
import type { Cycles, Run } from './model';
import { PlotCard } from './plotcard';

const counts = [1, 3, 10, 30];
const digitsOfTime = 9;
const muchError = 0.05; // as a part of the range

export class CyclePanel {
  readonly element: HTMLElement;
  private readonly story = el('p', { class: 'remark', 'aria-live': 'polite' });
  private readonly command = el('code', { class: 'command' });
  private readonly cards: PlotCard[];
  private middle: number;
  private count = 1; // an index into counts
  private readonly tools: Record<'earlier' | 'later' | 'fewer' | 'more', HTMLButtonElement>;

  constructor(
    private readonly run: Run,
    private readonly cycles: Cycles,
    private readonly envelopes: PlotCard[],
  ) {
    this.middle = lastCycle(cycles);
    this.cards = timeCharts(this.asRun(this.window()), new XLink()).map((spec) => new PlotCard(spec));
    for (const card of envelopes) {
      card.spec.pick = (t) => {
        this.middle = cycleAt(cycles, t);
        this.show();
      };
    }
    this.tools = {
      earlier: this.tool('earlier', 'Earlier cycles', () => this.move(-1)),
      later: this.tool('later', 'Later cycles', () => this.move(1)),
      fewer: this.tool('fewer', 'Fewer cycles', () => this.resize(-1)),
      more: this.tool('more', 'More cycles', () => this.resize(1)),
    };
    this.element = el(
      'section',
      { class: 'cycles', id: `${run.id}-cycles`, 'aria-label': 'Cycle by cycle' },
      el(
        'p',
        {},
        'Click into a chart above to see the cycles there. Shaded cycles were computed in full; those in between are interpolated, at equal phase, between the nearest computed ones.',
      ),
      el('div', { class: 'tools window-tools', role: 'group', 'aria-label': 'Which cycles' }, ...Object.values(this.tools)),
      this.story,
      el('div', { class: 'charts' }, ...this.cards.map((card) => card.element)),
      cycles.command ? el('p', { class: 'remark' }, 'To compute exactly these cycles:') : null,
      cycles.command ? el('div', { class: 'command-row' }, this.command, this.tool('copy', 'Copy the command', () => this.copy())) : null,
    );
    this.show();
  }

  private tool(text: string, label: string, press: () => void): HTMLButtonElement {
    return el('button', { type: 'button', class: 'tool text', title: label, 'aria-label': label, click: press }, text);
  }

  private window(): CycleWindow {
    return windowAround(this.cycles, this.middle, counts[this.count]);
  }

  private move(side: number): void {
    const { first, last } = this.window();
    this.middle = Math.floor((first + last + 1) / 2) + side * (last - first + 1);
    this.show();
  }

  private resize(side: number): void {
    this.count = Math.min(counts.length - 1, Math.max(0, this.count + side));
    this.show();
  }

  // A window is shown with the charts of a run whose samples are those of the window.
  private asRun(window: CycleWindow): Run {
    const series = this.cycles.series.map(({ name, unit }, i) => ({
      name,
      unit,
      group: 'cycle',
      whole: false,
      balance: false,
      log: false,
      offset: 0,
      values: window.values[i],
      band: null,
      bandOf: 'oscillation' as const,
    }));
    return { ...this.run, id: `${this.run.id}-window`, time: window.time, series, events: [], decimation: null };
  }

  private show(): void {
    const window = this.window();
    const [from, to] = [window.time[0], window.time[window.time.length - 1]];
    timeCharts(this.asRun(window), new XLink()).forEach((spec, i) => {
      const seen = this.cards[i].spec.curves;
      spec.curves.forEach((curve, k) => (curve.visible = seen[k].visible));
      this.cards[i].setContent({ curves: spec.curves, spans: window.computed });
    });
    for (const card of this.envelopes) card.setSpans([[from, to]]);
    this.tools.earlier.disabled = window.first <= this.cycles.numbers[0];
    this.tools.later.disabled = window.last >= lastCycle(this.cycles);
    this.tools.fewer.disabled = this.count === 0;
    this.tools.more.disabled = this.count === counts.length - 1;
    this.story.textContent = this.tell(window, from, to);
    this.command.textContent = this.cycles.command.replace('WINDOW', this.exactTimes(window, to));
  }

  private tell(window: CycleWindow, from: number, to: number): string {
    const { first, last, computed, between, error } = window;
    const unit = this.run.timeUnit ? ` ${this.run.timeUnit}` : '';
    const number = (n: number): string => grouped(n + 1); // readers count from one
    const one = first === last;
    const which = one ? `Cycle ${number(first)}` : `Cycles ${number(first)} to ${number(last)}`;
    const where = `${which} of ${number(lastCycle(this.cycles))}, from ${formatNumber(from, 7)} to ${formatNumber(to, 7)}${unit}.`;
    if (!between || !error) return `${where} ${one ? 'It was' : 'All of them were'} computed in full.`;
    const how =
      computed.length > 0
        ? `${computed.length} of them computed, the others interpolated.`
        : `Interpolated; the computed cycles next to ${one ? 'it' : 'them'} are ${number(between[0])} and ${number(between[1])}.`;
    const share = error.series ? `Estimated error: at most ${formatNumber(100 * error.share, 2)} % of the range, in ${error.series}.` : '';
    const smeared = error.share > muchError ? 'Edges that move from cycle to cycle are smeared here.' : '';
    return [where, how, share, smeared].filter(Boolean).join(' ');
  }

  private exactTimes(window: CycleWindow, to: number): string {
    const exact = (t: number): string => String(Number(t.toPrecision(digitsOfTime)));
    return `${exact(startOf(this.cycles, window.first))}:${exact(to)}`;
  }

  // Not every browser lets a page from a file use the clipboard. Then the text is at least selected.
  private copy(): void {
    const selection = getSelection();
    selection?.selectAllChildren(this.command);
    void navigator.clipboard?.writeText(this.command.textContent ?? '').catch(() => undefined);
  }
}
