import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import { nilId } from '../../core/schemas/ids.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { Store } from '../../core/storage/store.ts';
import { gameStorages } from '../storage-quota/game-storage.ts';

/** Rows read per slice, so that other calls can run in between. */
const sliceRows = 2_000;
/** The storage totals are cached for `factor` times as long as they took to compute, within these bounds (ms). */
const storageTtlMs = { factor: 100, min: 2_000, max: 60_000 };
/**
 * Another process may commit a session this long after generating its id: newer sessions are counted again each time.
 */
const settledMs = 10_000;

/** Sessions opened since a given time, and the number of players who opened them. */
export interface OpenedSessions {
  sessions: number;
  players: number;
}

/** What a game stores, as counted against its quota. */
export interface GameStorage {
  gameId: string;
  bytes: number;
  /** In bytes. */
  quota: number;
  /** How many players store states, play sessions or messages in it. */
  players: number;
}

interface CountedSessions extends OpenedSessions {
  /** The last session counted. */
  after: string;
}

/**
 * Computes totals that no table holds, in slices so that other calls can run in between. Counts are incremental:
 * sessions already counted are not read again.
 */
export class ServerSummary {
  readonly #db: Store;
  readonly #gameQuota: number;
  /** By start of the counted period: midnight in each administrator's time zone. */
  readonly #opened = new LRUCache<number, CountedSessions>({ max: 8 });
  #storage: { until: number; games: Promise<GameStorage[]> } | null = null;

  /** `gameQuota`: the quota of a game whose policies set none, in bytes. */
  constructor(db: Store, gameQuota: number) {
    this.#db = db;
    this.#gameQuota = gameQuota;
  }

  /** `since` is in Unix milliseconds. */
  async openedSince(since: number): Promise<OpenedSessions> {
    const settled = firstIdAt(this.#db.now() - settledMs);
    const before = this.#opened.get(since) ?? { sessions: 0, players: 0, after: firstIdAt(since - 1) };
    const counted = await this.#count(before, since, settled);
    this.#opened.set(since, counted);
    const { sessions, players } = await this.#count(counted, since, lastId);
    return { sessions, players };
  }

  /** Every game that stores data; at most a minute old. */
  async storageByGame(): Promise<GameStorage[]> {
    if (this.#storage !== null && performance.now() <= this.#storage.until) return this.#storage.games;
    const startedAt = performance.now();
    const storage = { until: Number.POSITIVE_INFINITY, games: this.#sumStorage() };
    this.#storage = storage;
    const { factor, min, max } = storageTtlMs;
    storage.games.then(
      () => {
        const took = performance.now() - startedAt;
        storage.until = performance.now() + Math.min(max, Math.max(min, factor * took));
      },
      () => {
        this.#storage = null;
      },
    );
    return storage.games;
  }

  async #count(
    { sessions, players, after }: CountedSessions,
    since: number,
    until: string,
  ): Promise<CountedSessions> {
    const counted = { sessions, players, after };
    for (;;) {
      const slice = await this.#db.read(sessionsBetween, counted.after, until, since);
      counted.sessions += slice.sessions;
      counted.players += slice.players;
      if (slice.last !== null) counted.after = slice.last;
      if (slice.sessions < sliceRows) return counted;
    }
  }

  async #sumStorage(): Promise<GameStorage[]> {
    const playersOf = new Map<string, number>();
    let after: StorageKey = { gameId: nilId, wallet: '' };
    for (;;) {
      const slice = await this.#db.read(storageAfter, after);
      let players = 0;
      for (const one of slice) {
        playersOf.set(one.gameId, (playersOf.get(one.gameId) ?? 0) + one.players);
        players += one.players;
        after = { gameId: one.gameId, wallet: one.lastWallet };
      }
      if (players < sliceRows) break;
    }
    const games = await this.#db.read(gameStorages, this.#gameQuota);
    return games.map((one) => ({ ...one, players: playersOf.get(one.gameId) ?? 0 }));
  }
}

/** The id that sorts before all ids generated from `at` (Unix ms) on. */
function firstIdAt(at: number): string {
  return v7({ msecs: Math.max(0, at), seq: 0, random: new Uint8Array(16) });
}

/** Sorts after all ids. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface Slice extends OpenedSessions {
  last: string | null;
}

const sessionsBetween = query(
  'sessionsBetween',
  function* (read, after: string, until: string, since: number): ReadSteps<Slice> {
    const values = { after, until, since, limit: sliceRows };
    return (yield* read.first(openedBetween, values)) ?? { sessions: 0, players: 0, last: null };
  },
);

type StorageKey = { gameId: string; wallet: string };

interface StorageSlice {
  gameId: string;
  players: number;
  lastWallet: string;
}

const storageAfter = query('storageAfter', function* (read, after: StorageKey): ReadSteps<
  readonly StorageSlice[]
> {
  return yield* read.all(storageOf, { ...after, limit: sliceRows });
});

// A player is counted with their first session since then. The index of a wallet's sessions is ordered by opening time.
const between = (
  maxId: string,
) => `SELECT count(*) AS sessions, coalesce(sum(is_first), 0) AS players, ${maxId} AS last
  FROM (SELECT s.id, CASE WHEN EXISTS (SELECT 1 FROM channel_sessions AS e WHERE e.wallet = s.wallet
      AND e.opened_at >= @since AND (e.opened_at, e.id) < (s.opened_at, s.id)) THEN 0 ELSE 1 END AS is_first
    FROM channel_sessions AS s WHERE s.id > @after AND s.id < @until ORDER BY s.id LIMIT @limit) AS slice`;
const openedBetween = statement<{ after: string; until: string; since: number; limit: number }, Slice>({
  sqlite: between('max(id)'),
  postgres: between('max(CAST(id AS text))'),
});

const storageOf = statement<StorageKey & { limit: number }, StorageSlice>(
  `SELECT game_id AS "gameId", count(*) AS players, max(wallet) AS "lastWallet"
   FROM (SELECT game_id, wallet FROM storage_use WHERE (game_id, wallet) > (@gameId, @wallet)
     ORDER BY game_id, wallet LIMIT @limit) AS slice
   GROUP BY game_id ORDER BY game_id`,
);
