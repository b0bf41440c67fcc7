import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { text } from '../../../core/schemas/fields.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Request, Steps, Tx } from '../../../core/storage/command.ts';
import { type PlayerMuteRow, playerMutes } from './tables.ts';

/** Who imposed a mute: a super-admin of the channel, the game's server, or a moderator. */
export const muter = z.enum(['channel', 'server', 'moderator']);
export type Muter = z.infer<typeof muter>;

const maxSeconds = 365 * 24 * 3600;
export const muteSeconds = z
  .int()
  .min(0)
  .max(maxSeconds)
  .meta({ description: 'Duration of the mute from now, in seconds; 0 ends the mute' });
/** The reason that a game's server or a moderator gives. */
export const muteReason = notSeen(text(0, 500), 'game')
  .default('')
  .meta({ description: 'Shown to the muted player' });

/** Requests whether a player has any mute in a game. Batch it with other rows to prefetch for a later `refuseMuted`. */
export function anyMute(tx: Tx, { gameId, wallet }: Owner): Request<readonly PlayerMuteRow[]> {
  return tx.list(playerMutes.byWallet, [wallet, gameId], { limit: 1 });
}

/** Where a player writes: in a channel or, without one, in the game. `path` is the field that other players see. */
interface Writing {
  channelId?: string;
  path?: string;
}

/** Requires that the player is not muted there. @throws GantryError `muted`, with the end of the mute */
export function* refuseMuted(tx: Tx, owner: Owner, { channelId, path }: Writing = {}): Steps<void> {
  const last = yield* muteOf(tx, owner, channelId);
  if (last) throw mutedError(last, tx.now, path);
}

/** The refusal of what a muted player writes. */
export function mutedError(mute: PlayerMuteRow, now: number, path?: string): GantryError {
  const where = mute.channelId === '' ? 'game' : 'channel';
  const why = mute.reason === '' ? '' : `: ${mute.reason}`;
  const until = `You are muted in this ${where} until ${new Date(mute.until).toISOString()}${why}`;
  return new GantryError('muted', path === undefined ? until : `${path}: ${until}`, {
    retryAfterSeconds: Math.ceil((mute.until - now) / 1000),
    ...(path !== undefined && { fields: [{ path, message: until }] }),
  });
}

/** The active mute of a player, in the game or in the given channel, that ends last; undefined if there is none. */
export function* muteOf(tx: Tx, owner: Owner, channelId?: string): Steps<PlayerMuteRow | undefined> {
  const [any] = yield* anyMute(tx, owner);
  if (!any) return undefined;
  const { gameId, wallet } = owner;
  const rows = yield* tx.all(
    ...(channelId === undefined ? [''] : ['', channelId]).flatMap((where) =>
      muter.options.map((by) => tx.get(playerMutes, wallet, gameId, where, by)),
    ),
  );
  const [last] = rows
    .filter((row) => row !== undefined)
    .filter(({ until }) => until > tx.now)
    .toSorted((one, other) => other.until - one.until);
  return last;
}
