// SPDX-License-Identifier: BSD-3-Clause
// Time charts of one run share their x zoom and their cursor.

import type { Range } from './curve';

export interface Linked {
  adoptRange(range: Range | null): void;
  adoptCursor(x: number | null): void;
}

export class XLink {
  private readonly members = new Set<Linked>();
  range: Range | null = null;

  join(member: Linked): void {
    this.members.add(member);
  }

  share(range: Range | null, source: Linked): void {
    this.range = range;
    for (const member of this.members) if (member !== source) member.adoptRange(range);
  }

  point(x: number | null, source: Linked): void {
    for (const member of this.members) if (member !== source) member.adoptCursor(x);
  }
}
