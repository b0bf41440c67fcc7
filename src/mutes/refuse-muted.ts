import type { Owner } from '../core/schemas/owner.ts';
import type { Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { muter } from './mute.ts';
import { playerMutes } from './tables.ts';

/** @throws GantryError `muted` when the player may not post in the channel now; it says until when */
export function* refuseMuted(tx: Tx, { gameId, wallet }: Owner, channelId: string): Steps<void> {
  const [any] = yield* tx.list(playerMutes.byWallet, [wallet, gameId], { limit: 1 });
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
