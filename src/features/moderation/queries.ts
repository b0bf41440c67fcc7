import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';
import { comparableId } from '../../core/schemas/ids.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { muter } from '../messages/mutes/mute.ts';

/** A mute as moderators see it. */
export const playerMute = z
  .object({
    wallet: normalizedAddress,
    username: z.string(),
    gameId: id,
    channelId: id.nullable().meta({ description: 'Null if the player is muted in the whole game' }),
    mutedBy: muter,
    until: timestamp,
    reason: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'PlayerMute' });
export type PlayerMute = z.infer<typeof playerMute>;

/** The active mutes by end time, latest first. */
export const readMutes = query(
  'readMutes',
  function* (
    read,
    { gameId, wallet }: { gameId?: string | undefined; wallet?: string | undefined },
    { limit, skip }: Page,
  ): ReadSteps<Paged<PlayerMute>> {
    const filter = {
      gameId: gameId === undefined ? null : comparableId(gameId),
      wallet: wallet ?? null,
      now: read.now,
    };
    const total = (yield* read.first(countMutes, filter))?.count ?? 0;
    const rows = yield* read.all(selectMutes, { ...filter, limit, skip });
    return {
      total,
      rows: rows.map((row) => ({
        ...row,
        mutedBy: muter.parse(row.mutedBy),
        channelId: row.channelId === '' ? null : row.channelId,
      })),
    };
  },
);

type Filter = { gameId: string | null; wallet: string | null; now: number };

const matching = `WHERE m.until > @now AND (m.game_id = @gameId OR @gameId IS NULL)
  AND (m.wallet = @wallet OR @wallet IS NULL)`;
const countMutes = statement<Filter, { count: number }>(
  `SELECT count(*) AS count FROM player_mutes AS m ${matching}`,
);
const selectMutes = statement<
  Filter & { limit: number; skip: number },
  Omit<PlayerMute, 'channelId' | 'mutedBy'> & { channelId: string; mutedBy: string }
>(
  `SELECT m.wallet, coalesce(p.username, '') AS username, m.game_id AS "gameId", m.channel_id AS "channelId",
      m.muted_by AS "mutedBy", m.until, m.reason, m.created_at AS "createdAt"
    FROM player_mutes AS m LEFT JOIN players AS p ON p.wallet = m.wallet ${matching}
    ORDER BY m.until DESC, m.wallet, m.game_id, m.channel_id, m.muted_by LIMIT @limit OFFSET @skip`,
);
