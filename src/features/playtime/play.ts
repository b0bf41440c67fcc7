import type { OpenPlayRow, PlayNodeRow, PlaytimeRow } from './tables.ts';

/** How often a node says that it is alive, and how long what it has said holds. */
export const beatMs = 5_000;
export const leaseMs = 10_000;
/** The most that counts of one stretch. */
const maxStretchMs = 24 * 60 * 60_000;
/** A game that is opened again within this time continues the session: after a reload, or on another node. */
const pauseMs = 60_000;

/** A node, and how long it has run by its own clock, in milliseconds. */
export interface NodeTime {
  id: string;
  upMs: number;
}

/** When a stretch ends, by the clock of its node and by the database's. */
export interface PlayEnd {
  upMs: number;
  at: number;
}

/**
 * Now, for a stretch on another node, which cannot say more: as much after the node's last beat as the database's clock
 * says, but not more than its lease, whatever was done to that clock.
 */
export function endOnNode(node: PlayNodeRow, now: number): PlayEnd {
  const sinceBeatMs = Math.max(0, Math.min(now - node.beatAt, leaseMs));
  return { upMs: node.upMs + sinceBeatMs, at: node.beatAt + sinceBeatMs };
}

/** A player's playtime with a stretch that has ended, or ends now. */
export function withStretch(
  before: PlaytimeRow | undefined,
  { wallet, gameId, startedAt, startedUp }: OpenPlayRow,
  end: PlayEnd,
): PlaytimeRow {
  const ms = Math.max(0, Math.min(end.upMs - startedUp, maxStretchMs));
  const continues = before !== undefined && startedAt - before.lastAt <= pauseMs;
  return {
    wallet,
    gameId,
    ms: (before?.ms ?? 0) + ms,
    sessions: (before?.sessions ?? 0) + (continues ? 0 : 1),
    firstAt: Math.min(before?.firstAt ?? startedAt, startedAt),
    startedAt: continues ? before.startedAt : startedAt,
    lastAt: end.at,
  };
}
