import type { Database } from 'better-sqlite3';
import { GantryError } from '../../errors.ts';
import type { Owner, PlaySessionStore } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';

interface PlaySessionRow {
  game_id: string;
  wallet: string;
  state: string;
  started_at: number;
  end_time: number | null;
}

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
      update: db.prepare('UPDATE play_sessions SET state = ?, updated_at = ?, end_time = ? WHERE id = ?'),
    };
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
