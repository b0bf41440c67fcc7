import type { Database } from 'better-sqlite3';
import type { Page, Paged } from '../../domain/paging.ts';
import type { PlaySessionSummary } from '../../domain/play-session.ts';
import { GantryError } from '../../errors.ts';
import type { GameFilter, Owner, PlaySessionStore } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';

interface PlaySessionRow {
  game_id: string;
  wallet: string;
  state: string;
  started_at: number;
  end_time: number | null;
}

/** One player's, or (from before to behind every address) everybody's. */
interface Filter {
  gameId: string;
  from: string;
  to: string;
}
const matching = 'game_id = @gameId AND wallet BETWEEN @from AND @to';
const summary = `p.id AS sessionId, p.game_id AS gameId, p.wallet AS normalizedAddress, p.started_at AS startedAt,
  p.updated_at AS updatedAt, p.end_time AS endTime, octet_length(p.state) AS bytes`;

export class SqlitePlaySessions implements PlaySessionStore {
  readonly #group: GroupCommit;
  readonly #statements;

  constructor(db: Database, group: GroupCommit) {
    this.#group = group;
    this.#statements = {
      find: db.prepare<[string], PlaySessionRow>('SELECT * FROM play_sessions WHERE id = ?'),
      start: db.prepare(
        `INSERT INTO play_sessions (id, game_id, wallet, state, started_at, updated_at, end_time)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ),
      // The index holds all that the order needs, so the rows of the page are the only ones read.
      list: db.prepare<[Filter & Page], PlaySessionSummary>(
        `SELECT ${summary} FROM (SELECT rowid AS place FROM play_sessions WHERE ${matching}
           ORDER BY started_at DESC, rowid DESC LIMIT @limit OFFSET @skip) JOIN play_sessions AS p ON p.rowid = place
         ORDER BY p.started_at DESC, p.rowid DESC`,
      ),
      count: db.prepare<[Filter], number>(`SELECT count(*) FROM play_sessions WHERE ${matching}`).pluck(),
      show: db.prepare<[string], PlaySessionSummary & { state: string }>(
        `SELECT ${summary}, p.state FROM play_sessions AS p WHERE p.id = ?`,
      ),
      update: db.prepare('UPDATE play_sessions SET state = ?, updated_at = ?, end_time = ? WHERE id = ?'),
    };
  }

  async list({ gameId, wallet }: GameFilter, page: Page): Promise<Paged<PlaySessionSummary>> {
    const filter = { gameId, from: wallet ?? '', to: wallet ?? '~' };
    return {
      total: this.#statements.count.get(filter) ?? 0,
      rows: this.#statements.list.all({ ...filter, ...page }),
    };
  }

  async find(sessionId: string): Promise<(PlaySessionSummary & { state: string }) | null> {
    return this.#statements.show.get(sessionId) ?? null;
  }

  track(
    { gameId, wallet }: Owner,
    { sessionId, state, endTime }: { sessionId: string; state: string; endTime?: number | undefined },
  ): Promise<void> {
    return this.#group.write((tx) => {
      const row = this.#statements.find.get(sessionId);
      if (!row) {
        // A session told of only when it is over began, at the latest, when it ended.
        const startedAt = Math.min(tx.now, endTime ?? tx.now);
        this.#statements.start.run(sessionId, gameId, wallet, state, startedAt, tx.now, endTime ?? null);
        return;
      }
      if (row.game_id !== gameId || row.wallet !== wallet) {
        throw new GantryError(
          'play_session_not_yours',
          'This sessionId belongs to another player or game; make a new UUID for every play session',
        );
      }
      if (row.end_time !== null) {
        if (row.end_time === endTime && row.state === state) return;
        throw new GantryError(
          'play_session_ended',
          'This play session has ended and can no longer be changed',
        );
      }
      if (endTime !== undefined && endTime < row.started_at) {
        throw new GantryError('end_time_before_start', 'endTime is before the start of the play session');
      }
      this.#statements.update.run(state, tx.now, endTime ?? null, sessionId);
    });
  }
}
