import type { EventPlace } from './stream.ts';

/** A vector of positions: the position of the last known event of each lane, by lane number. Omitted lanes are at 0. */
export type Positions = Readonly<Record<number, number>>;

export function positionIn(positions: Positions, lane: number): number {
  return positions[lane] ?? 0;
}

/** Whether `positions` is at or past `wanted` in every lane. */
export function includes(positions: Positions, wanted: Positions): boolean {
  return Object.entries(wanted).every(([lane, position]) => positionIn(positions, Number(lane)) >= position);
}

interface Placed extends EventPlace {
  readonly after: EventPlace | null;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Merges events of several lanes, each lane in order, so that the events of every stream stay in order. At most `limit`
 * events were read per lane; an event whose predecessor in another lane has not been read yet is left for a later page,
 * together with everything after it in its lane. `known` is where reading began.
 */
export function inOrder<Event extends Placed>(
  events: readonly Event[],
  known: Positions,
  limit: number,
): Event[] {
  const lanes = Map.groupBy(events, ({ lane }) => lane);
  if (lanes.size <= 1 && events.every(({ after }) => after === null)) return [...events];
  const truncated = new Set([...lanes].filter(([, rows]) => rows.length >= limit).map(([lane]) => lane));
  const reached: Record<number, number> = { ...known };
  const isPassed = ({ lane, position }: EventPlace): boolean => {
    if (positionIn(reached, lane) >= position) return true;
    const [next] = lanes.get(lane) ?? [];
    // A predecessor that has been deleted is not waited for.
    return next === undefined ? !truncated.has(lane) : next.position > position;
  };
  const ordered: Event[] = [];
  for (;;) {
    let first: Event | undefined;
    for (const [head] of lanes.values()) {
      if (head && (!first || head.at < first.at) && (head.after === null || isPassed(head.after)))
        first = head;
    }
    if (!first) return ordered;
    lanes.get(first.lane)?.shift();
    reached[first.lane] = first.position;
    ordered.push(first);
  }
}

/** Encodes positions as text: a plain number when there is only lane 0. */
export function toCursor(positions: Positions): string {
  const lanes = Object.entries(positions).filter(([, position]) => position > 0);
  if (lanes.every(([lane]) => lane === '0')) return String(positionIn(positions, 0));
  return lanes.map(([lane, position]) => `${lane}-${position}`).join('.');
}

/** Parses the result of `toCursor`; null for any other text. */
export function fromCursor(cursor: string): Positions | null {
  if (/^\d{1,15}$/.test(cursor)) return { 0: Number(cursor) };
  if (!/^\d{1,9}-\d{1,15}(\.\d{1,9}-\d{1,15}){0,999}$/.test(cursor)) return null;
  return Object.fromEntries(cursor.split('.').map((one) => one.split('-').map(Number) as [number, number]));
}
