import { byName, type Findings, type Place } from './source.ts';

/** What is counted. */
export type Kind = 'players' | 'scores' | 'states' | 'friends' | 'blocks';
const outcomes = ['new', 'updated', 'unchanged', 'kept', 'refused'] as const;
/** How many there are in the source, and what became of them. */
export type Counts = { inSource: number } & Record<(typeof outcomes)[number], number>;

const kindsByType: ReadonlyMap<unknown, Kind> = byName<Kind>({
  player: 'players',
  score: 'scores',
  state: 'states',
  friend: 'friends',
  block: 'blocks',
});

/** What a record of a type counts as. */
export function kindOf(type: unknown): Kind | undefined {
  return kindsByType.get(type);
}

const reasons: Readonly<Record<string, string>> = {
  ended: 'the season that the score belongs to has ended here',
  friend_limit_reached: 'one of the two has as many friends as a player can have',
  requests_not_accepted: 'one of the two blocks the other, or wants no friends',
};

/** Counts what an import does, and collects what it cannot do. */
export class Tally implements Findings {
  readonly counts: Record<Kind, Counts>;
  readonly #onRefusal: Findings['refuse'];
  readonly #leftOut = new Map<string, { what: string; count: number; why: string }>();
  refused = 0;

  constructor(onRefusal: Findings['refuse']) {
    this.#onRefusal = onRefusal;
    const none = () => ({ inSource: 0, new: 0, updated: 0, unchanged: 0, kept: 0, refused: 0 });
    this.counts = { players: none(), scores: none(), states: none(), friends: none(), blocks: none() };
  }

  get leftOut(): { what: string; count: number; why: string }[] {
    return [...this.#leftOut.values()].filter(({ count }) => count > 0);
  }

  /** Counts what became of something; what is none of the outcomes was a refusal. */
  count(kind: Kind, place: Place, became: string | undefined): void {
    const outcome = outcomes.find((one) => one === became);
    if (outcome) this.counts[kind][outcome]++;
    else this.refuse(place, reasons[became ?? ''] ?? String(became), kind);
  }

  refuse({ file, line }: Place, reason: string, kind?: Kind): void {
    this.refused++;
    if (kind) this.counts[kind].refused++;
    this.#onRefusal({ file, line }, reason);
  }

  leaveOut(what: string, why: string, count = 1): void {
    const before = this.#leftOut.get(what);
    this.#leftOut.set(what, { what, count: count + (before?.count ?? 0), why });
  }
}
