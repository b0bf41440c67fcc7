import { comparableId } from '../../core/schemas/ids.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { AuditEntry } from './audit-log.ts';
import { auditLog } from './tables.ts';

/** The audit log, newest first. */
export const readAuditLog = query('readAuditLog', function* (read, { limit, skip }: Page): ReadSteps<
  Paged<AuditEntry>
> {
  const total = yield* read.count(auditLog.byId, []);
  // Ids are UUIDv7, so they sort in the order of the entries.
  const rows = yield* read.list(auditLog.byId, [], { limit, skip, last: true });
  return { total, rows: rows.map((row) => ({ ...row, input: JSON.parse(row.input) })) };
});

/** A ban as moderators see it. */
export interface Ban {
  wallet: string;
  /** Empty if the player has not set one. */
  username: string;
  /** '' bans from every game. */
  gameId: string;
  reason: string;
  at: number;
}

/** The bans from one game (without those from all games) or from any, newest first. */
export const readBans = query(
  'readBans',
  function* (
    read,
    { gameId, wallet }: { gameId?: string | undefined; wallet?: string | undefined },
    { limit, skip }: Page,
  ): ReadSteps<Paged<Ban>> {
    const filter = { gameId: gameId ? comparableId(gameId) : (gameId ?? null), wallet: wallet ?? null };
    const total = (yield* read.first(countBans, filter))?.count ?? 0;
    return { total, rows: [...(yield* read.all(selectBans, { ...filter, limit, skip }))] };
  },
);

type BanFilter = { gameId: string | null; wallet: string | null };

const matchingBans = `WHERE (b.game_id = @gameId OR @gameId IS NULL) AND (b.wallet = @wallet OR @wallet IS NULL)`;
const countBans = statement<BanFilter, { count: number }>(
  `SELECT count(*) AS count FROM bans AS b ${matchingBans}`,
);
const selectBans = statement<BanFilter & { limit: number; skip: number }, Ban>(
  `SELECT b.wallet, coalesce(p.username, '') AS username, b.game_id AS "gameId", b.reason, b.at
    FROM bans AS b LEFT JOIN players AS p ON p.wallet = b.wallet ${matchingBans}
    ORDER BY b.at DESC, b.wallet, b.game_id LIMIT @limit OFFSET @skip`,
);
