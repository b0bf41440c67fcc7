import type { Owner } from '../../../core/schemas/owner.ts';
import { query, type ReadSteps } from '../../../core/storage/query.ts';
import type { Store } from '../../../core/storage/store.ts';
import { mutedError, muter } from './mute.ts';
import { type PlayerMuteRow, playerMutes } from './tables.ts';

/** The mutes of a player in a whole game, also those that have ended. */
const mutesInGame = query('mutesInGame', function* (read, { gameId, wallet }: Owner): ReadSteps<
  PlayerMuteRow[]
> {
  const rows: PlayerMuteRow[] = [];
  for (const by of muter.options) {
    const row = yield* read.get(playerMutes, wallet, gameId, '', by);
    if (row) rows.push(row);
  }
  return rows;
});

/**
 * As `refuseMuted`, for a text that is not stored; `path` is the field that has it.
 * @throws GantryError `muted`
 */
export async function refuseMutedInGame(db: Store, owner: Owner, path: string): Promise<void> {
  const now = db.now();
  const active = (await db.read(mutesInGame, owner)).filter(({ until }) => until > now);
  const last = active.toSorted((one, other) => other.until - one.until)[0];
  if (last) throw mutedError(last, now, path);
}
