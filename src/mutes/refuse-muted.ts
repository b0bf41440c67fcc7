import type { Owner } from '../core/schemas/owner.ts';
import type { Request, Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { muter } from './mute.ts';
import { type PlayerMuteRow, playerMutes } from './tables.ts';

/** Requests whether a player has any mute in a game. Batch it with other rows to prefetch for a later `refuseMuted`. */
export function anyMute(tx: Tx, { gameId, wallet }: Owner): Request<readonly PlayerMuteRow[]> {
  return tx.list(playerMutes.byWallet, [wallet, gameId], { limit: 1 });
}

/** @throws GantryError `muted`, with the end of the mute, when the player may not post in the channel now */
export function* refuseMuted(tx: Tx, owner: Owner, channelId: string): Steps<void> {
  const { gameId, wallet } = owner;
  const [any] = yield* anyMute(tx, owner);
  if (!any) return;
  const rows = yield* tx.all(
    ...['', channelId].flatMap((where) =>
      muter.options.map((by) => tx.get(playerMutes, wallet, gameId, where, by)),
    ),
  );
  const [last] = rows
    .filter((row) => row !== undefined)
    .filter(({ until }) => until > tx.now)
    .toSorted((one, other) => other.until - one.until);
  if (!last) return;
  const where = last.channelId === '' ? 'game' : 'channel';
  const why = last.reason === '' ? '' : `: ${last.reason}`;
  throw new GantryError(
    'muted',
    `You are muted in this ${where} until ${new Date(last.until).toISOString()}${why}`,
    { retryAfterSeconds: Math.ceil((last.until - tx.now) / 1000) },
  );
}
