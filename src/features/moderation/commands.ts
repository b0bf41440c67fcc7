import { GantryError } from '../../core/errors.ts';
import { lockChannel, lockGame, lockPlayer } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { lockWholeChannel, memberIn, requireMember } from '../messages/channel-access.ts';
import { rowHasPermission } from '../messages/message-rows.ts';
import { type Muter, refuseMuted } from '../messages/mutes/mute.ts';
import { playerMutes } from '../messages/mutes/tables.ts';
import { messageChannels } from '../messages/tables.ts';
import { unknownPlayer } from '../players/guests.ts';
import { guests, players } from '../players/tables.ts';
import { lockStorageUse } from '../storage-quota/game-storage.ts';

/** The parameters of a mute. */
export interface NewMute {
  /** Duration from now; 0 ends the mute. */
  seconds: number;
  reason: string;
}

/**
 * Mutes a player for a limited time in one channel of the game or, with `channelId` null, in the whole game. Returns when the mute
 * ends (Unix ms), or null if this call ended it. `by`: whose mute it is; each muter has one of their own per player and place.
 * @throws GantryError `player_unknown`, `guest_upgraded`, `channel_unknown`, `player_not_muted`
 */
export const mute = command(
  'mute',
  function* (tx, player: Owner, channelId: string | null, by: Muter, wanted: NewMute): Steps<number | null> {
    const channel = channelId === null ? undefined : yield* tx.get(messageChannels, channelId);
    // The locks of every command that writes a text other players see: each commits before the mute or sees it.
    const [row] = yield* tx.all(
      tx.lock(players, player.wallet),
      lockPlayer(tx, player),
      lockGame(tx, player.gameId),
      ...(channel ? [lockChannel(tx, channel.id)] : []),
      lockStorageUse(tx, player),
    );
    if (!row) throw unknownPlayer(yield* tx.get(guests, player.wallet));
    if (channelId !== null && channel?.gameId !== player.gameId) {
      throw new GantryError('channel_unknown', 'There is no such message channel in the game');
    }
    return yield* setMute(tx, player, { channelId, by }, wanted);
  },
);

/**
 * As `mute`, by a super-admin of the channel, for a member who is not a super-admin.
 * @throws GantryError `channel_unknown`, `permission_missing`, `participants_invalid`, `player_unknown`,
 *   `player_not_muted`; `muted` when the super-admin is muted and gives a reason, which the player would see
 */
export const muteInChannel = command(
  'muteInChannel',
  function* (tx, by: Owner, channelId: string, wallet: string, wanted: NewMute): Steps<number | null> {
    const player = { gameId: by.gameId, wallet };
    const row = yield* tx.lock(players, wallet);
    const channel = requireMember(yield* lockWholeChannel(tx, channelId), by, 'super-admin');
    const member = memberIn(channel, player);
    if (!member) throw new GantryError('participants_invalid', `${wallet} is not in the channel`);
    if (rowHasPermission(member, 'super-admin')) {
      throw new GantryError(
        'participants_invalid',
        `${wallet} is a super-admin of the channel and cannot be muted in it`,
      );
    }
    if (!row) throw unknownPlayer(undefined);
    if (wanted.reason !== '') yield* refuseMuted(tx, by, { channelId, path: 'reason' });
    return yield* setMute(tx, player, { channelId, by: 'channel' }, wanted);
  },
);

/** Mutes that `trimMutes` checks per call. */
const trimmedPerCall = 200;

/** Removes a bounded batch of expired mutes; true when there may be more. */
export const trimMutes = command('trimMutes', function* (tx): Steps<boolean> {
  const first = yield* tx.list(playerMutes.byEnd, [], { limit: trimmedPerCall });
  const over = first.filter(({ until }) => until <= tx.now);
  const rows = yield* tx.all(
    ...over.map(({ wallet, gameId, channelId, mutedBy }) =>
      tx.lock(playerMutes, [wallet, gameId, channelId, mutedBy]),
    ),
  );
  for (const row of rows) if (row && row.until <= tx.now) tx.remove(playerMutes, row);
  return over.length === trimmedPerCall;
});

function* setMute(
  tx: Tx,
  { gameId, wallet }: Owner,
  { channelId, by }: { channelId: string | null; by: Muter },
  { seconds, reason }: NewMute,
): Steps<number | null> {
  const where = channelId ?? '';
  const before = yield* tx.get(playerMutes, wallet, gameId, where, by);
  if (seconds > 0) {
    const until = tx.now + seconds * 1000;
    const createdAt = before?.createdAt ?? tx.now;
    tx.put(playerMutes, { wallet, gameId, channelId: where, mutedBy: by, until, reason, createdAt });
    return until;
  }
  if (!before)
    throw new GantryError('player_not_muted', 'This player has no such mute in this game or channel');
  tx.remove(playerMutes, before);
  return null;
}
