import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import type { StateRecord } from '../../domain/state.ts';
import type { GameFilter, KeptState, Owner, StateStore, StateSummary } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';

interface StateRow {
  id: string;
  game_id: string;
  wallet: string;
  label: string;
  ipfs_hash: string;
  json: string;
  updated_at: number;
}

/** One player's, or (from before to behind every address) everybody's. */
interface Filter {
  gameId: string;
  from: string;
  to: string;
}
const matching = 'game_id = @gameId AND wallet BETWEEN @from AND @to';

export class SqliteStates implements StateStore {
  readonly #group: GroupCommit;
  readonly #statements;

  constructor(db: Database, group: GroupCommit) {
    this.#group = group;
    this.#statements = {
      upsert: db
        .prepare<[Record<string, string | number>], string>(
          `INSERT INTO states (id, game_id, wallet, label, ipfs_hash, json, updated_at, revision)
         VALUES (@id, @gameId, @wallet, @label, @ipfsHash, @json, @now,
           (SELECT coalesce(max(revision), 0) + 1 FROM states WHERE game_id = @gameId AND wallet = @wallet))
         ON CONFLICT (game_id, wallet, label) DO UPDATE SET ipfs_hash = excluded.ipfs_hash,
           json = excluded.json, updated_at = excluded.updated_at, revision = excluded.revision
         RETURNING id`,
        )
        .pluck(),
      json: db
        .prepare<[string, string, string], string>(
          'SELECT json FROM states WHERE game_id = ? AND wallet = ? AND label = ?',
        )
        .pluck(),
      byLabel: db.prepare<[string, string, string], StateRow>(
        'SELECT * FROM states WHERE game_id = ? AND wallet = ? AND label = ?',
      ),
      list: db.prepare<[string, string, number, number], StateRow>(
        `SELECT * FROM states WHERE game_id = ? AND wallet = ?
         ORDER BY revision DESC LIMIT ? OFFSET ?`,
      ),
      // In the order of the unique index, so that a page deep in a large game sorts nothing.
      ofGame: db.prepare<[Filter & Page], StateSummary>(
        `SELECT id AS _id, game_id AS gameId, ipfs_hash AS ipfsHash, wallet AS normalizedAddress, label,
           updated_at AS updatedAt, octet_length(json) AS bytes
         FROM states WHERE ${matching} ORDER BY wallet, label LIMIT @limit OFFSET @skip`,
      ),
      countOfGame: db.prepare<[Filter], number>(`SELECT count(*) FROM states WHERE ${matching}`).pluck(),
    };
  }

  set(
    { gameId, wallet }: Owner,
    label: string,
    json: string,
    ipfsHash: string,
  ): Promise<Omit<StateRecord, 'state'>> {
    return this.#group.write((tx) => {
      const id = this.#statements.upsert.get({
        id: newId(),
        gameId,
        wallet,
        label,
        ipfsHash,
        json,
        now: tx.now,
      });
      if (id === undefined) throw new Error('an upsert with RETURNING gave no row');
      return { _id: id, gameId, ipfsHash, normalizedAddress: wallet, label, updatedAt: tx.now };
    });
  }

  async list({ gameId, wallet }: Owner, page: Page, label?: string): Promise<KeptState[]> {
    if (label === undefined) {
      return this.#statements.list.all(gameId, wallet, page.limit, page.skip).map(toKept);
    }
    const row = this.#statements.byLabel.get(gameId, wallet, label);
    return row && page.skip === 0 && page.limit > 0 ? [toKept(row)] : [];
  }

  async listOfGame({ gameId, wallet }: GameFilter, page: Page): Promise<Paged<StateSummary>> {
    const filter = { gameId, from: wallet ?? '', to: wallet ?? '~' };
    return {
      total: this.#statements.countOfGame.get(filter) ?? 0,
      rows: this.#statements.ofGame.all({ ...filter, ...page }),
    };
  }

  /** Inside a transaction: the state under a label; undefined when there is none. */
  stateWithin({ gameId, wallet }: Owner, label: string): unknown {
    const json = this.#statements.json.get(gameId, wallet, label);
    return json === undefined ? undefined : JSON.parse(json);
  }
}

function toKept(row: StateRow): KeptState {
  return {
    _id: row.id,
    gameId: row.game_id,
    ipfsHash: row.ipfs_hash,
    normalizedAddress: row.wallet,
    label: row.label,
    updatedAt: row.updated_at,
    json: row.json,
  };
}
