import { LRUCache } from 'lru-cache';
import { nilId } from '../../core/schemas/ids.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { Store } from '../../core/storage/store.ts';

/** Rows read per slice, so that other calls can run in between. */
const sliceRows = 2_000;
/** Another process may commit a session this long after its opening time: newer ones are counted again each time. */
const settledMs = 10_000;

/** The sessions of a game opened on one day, and the number of players who opened them. */
export interface DailySessions {
  /** The start of the day. */
  at: number;
  sessions: number;
  players: number;
}

interface Counted {
  days: DailySessions[];
  /** The last session counted. */
  after: { openedAt: number; id: string };
}

/**
 * Counts the sessions of a game by day. Incremental, in slices: a session that was counted is not read again while the
 * game's page is open, so each poll reads only those since the last one, in the order of an index.
 */
export class GameSessions {
  readonly #db: Store;
  readonly #counted = new LRUCache<string, Promise<Counted>>({ max: 32, ttl: 10 * 60_000 });

  constructor(db: Store) {
    this.#db = db;
  }

  /** By the days that begin at `starts` (Unix ms, ascending), the last one up to now. */
  async byDay(gameId: string, starts: readonly number[]): Promise<DailySessions[]> {
    const key = `${gameId} ${starts}`;
    const before = this.#counted.get(key) ?? Promise.resolve({ days: [], after: { openedAt: 0, id: nilId } });
    const counting = before.then((known) => this.#count(gameId, starts, known, this.#db.now() - settledMs));
    this.#counted.set(key, counting);
    counting.catch(() => this.#counted.delete(key));
    return (await this.#count(gameId, starts, await counting, Number.MAX_SAFE_INTEGER)).days;
  }

  async #count(gameId: string, starts: readonly number[], known: Counted, until: number): Promise<Counted> {
    const days = new Map(known.days.map((day) => [day.at, { ...day }]));
    let { after } = known;
    for (const [index, at] of starts.entries()) {
      const end = Math.min(starts[index + 1] ?? until, until);
      if (end <= at) break;
      if (end <= after.openedAt) continue;
      if (after.openedAt < at) after = { openedAt: at, id: nilId };
      for (let rows = sliceRows; rows === sliceRows; ) {
        const slice = await this.#db.read(sessionsOpened, gameId, at, after, end);
        for (const { id, openedAt, isFirst } of slice) {
          const before = days.get(at) ?? { at, sessions: 0, players: 0 };
          days.set(at, { at, sessions: before.sessions + 1, players: before.players + isFirst });
          after = { openedAt, id };
        }
        rows = slice.length;
      }
    }
    return { days: [...days.values()], after };
  }
}

interface Opened {
  id: string;
  openedAt: number;
  /** 1 when the player opened no earlier session in the game on that day. */
  isFirst: number;
}

const sessionsOpened = query(
  'sessionsOpened',
  function* (
    read,
    gameId: string,
    from: number,
    after: Counted['after'],
    until: number,
  ): ReadSteps<readonly Opened[]> {
    const values = { gameId, from, afterAt: after.openedAt, afterId: after.id, until, limit: sliceRows };
    return yield* read.all(openedAfter, values);
  },
);

const openedAfter = statement<
  { gameId: string; from: number; afterAt: number; afterId: string; until: number; limit: number },
  Opened
>(
  `SELECT s.id, s.opened_at AS "openedAt", CASE WHEN EXISTS (
      SELECT 1 FROM channel_sessions AS e WHERE e.wallet = s.wallet AND e.game_id = s.game_id
        AND e.opened_at >= @from AND (e.opened_at, e.id) < (s.opened_at, s.id)) THEN 0 ELSE 1 END AS "isFirst"
    FROM channel_sessions AS s
    WHERE s.game_id = @gameId AND (s.opened_at, s.id) > (@afterAt, @afterId) AND s.opened_at < @until
    ORDER BY s.opened_at, s.id LIMIT @limit`,
);

/** How many sessions of a game were last announced as present: one look-up for every such session of the server. */
export const countPresentIn = query('countPresentIn', function* (read, gameId: string): ReadSteps<number> {
  return (yield* read.first(presentIn, { gameId, now: read.now }))?.count ?? 0;
});

const presentIn = statement<{ gameId: string; now: number }, { count: number }>(
  `SELECT count(*) AS count FROM announced_present AS a JOIN channel_sessions AS s ON s.id = a.session_id
    WHERE s.game_id = @gameId AND s.ended_at IS NULL AND s.expires_at > @now`,
);
