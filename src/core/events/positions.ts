import type { EventPlace } from './stream.ts';

/** How far the events of each lane are known: the position of the last one, by the lane's number. Lanes left out: 0. */
export type Positions = Readonly<Record<number, number>>;

export function positionIn(positions: Positions, lane: number): number {
  return positions[lane] ?? 0;
}

/** Whether everything up to `wanted` lies within `positions`. */
export function includes(positions: Positions, wanted: Positions): boolean {
  return Object.entries(wanted).every(([lane, position]) => positionIn(positions, Number(lane)) >= position);
}

interface Placed extends EventPlace {
  readonly after: EventPlace | null;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Brings events of several lanes, each lane's in order, into one order in which every stream's events follow one another.
 * At most `limit` were read of each lane, so an event whose stream goes on in another lane behind what was read there is
 * left out, with what follows it in its lane; it comes with a later page. `known`: what came before.
 */
export function inOrder<Event extends Placed>(
  events: readonly Event[],
  known: Positions,
  limit: number,
): Event[] {
  const lanes = Map.groupBy(events, ({ lane }) => lane);
  if (lanes.size <= 1 && events.every(({ after }) => after === null)) return [...events];
  const isCut = new Set([...lanes].filter(([, rows]) => rows.length >= limit).map(([lane]) => lane));
  const reached: Record<number, number> = { ...known };
  const isBehind = ({ lane, position }: EventPlace): boolean => {
    if (positionIn(reached, lane) >= position) return true;
    const [next] = lanes.get(lane) ?? [];
    // An event that is not kept any more is not waited for.
    return next === undefined ? !isCut.has(lane) : next.position > position;
  };
  const ordered: Event[] = [];
  for (;;) {
    let first: Event | undefined;
    for (const [head] of lanes.values()) {
      if (head && (!first || head.at < first.at) && (head.after === null || isBehind(head.after)))
        first = head;
    }
    if (!first) return ordered;
    lanes.get(first.lane)?.shift();
    reached[first.lane] = first.position;
    ordered.push(first);
  }
}

/** Positions as text: a number where there is one lane. */
export function toCursor(positions: Positions): string {
  const lanes = Object.entries(positions).filter(([, position]) => position > 0);
  if (lanes.every(([lane]) => lane === '0')) return String(positionIn(positions, 0));
  return lanes.map(([lane, position]) => `${lane}-${position}`).join('.');
}

/** The positions a text stands for; null: it is none of `toCursor`. */
export function fromCursor(cursor: string): Positions | null {
  if (/^\d{1,15}$/.test(cursor)) return { 0: Number(cursor) };
  if (!/^\d{1,9}-\d{1,15}(\.\d{1,9}-\d{1,15}){0,999}$/.test(cursor)) return null;
  return Object.fromEntries(cursor.split('.').map((one) => one.split('-').map(Number) as [number, number]));
}
