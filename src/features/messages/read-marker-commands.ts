import { streamOf } from '../../core/events/stream.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { channelUnknown, messageUnknown, wasAwayAt } from './channel-access.ts';
import { readMarkerPatched } from './events.ts';
import { eventSeqsOf } from './message-rows.ts';
import { type ReadMarker, toReadMarker } from './read-marker.ts';
import { messageChannels, messages, participants, readMarkers } from './tables.ts';

/**
 * Marks a channel as read up to a message, and returns the current marker. The marker only moves forward: a call that
 * names an earlier message than the marker's changes nothing and emits no event.
 *
 * Only the player is locked, so that readers do not delay writers in the channel.
 * @throws GantryError `channel_unknown`, `message_unknown`
 */
export const moveReadMarker = command(
  'moveReadMarker',
  function* (tx, owner: Owner, channelId: string, messageId: string): Steps<ReadMarker> {
    const { gameId, wallet } = owner;
    const [, channel, member, message, before] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.get(messageChannels, channelId),
      tx.get(participants, channelId, wallet),
      tx.get(messages, messageId),
      tx.get(readMarkers, channelId, wallet),
    );
    if (channel?.gameId !== gameId || !member) throw channelUnknown();
    if (message?.channelId !== channelId) throw messageUnknown();
    const [readSeq = 0] = eventSeqsOf(message);
    if (yield* wasAwayAt(tx, member, readSeq)) throw messageUnknown();
    if (before && before.readSeq >= readSeq) return toReadMarker(before, gameId);
    const row = { channelId, wallet, messageId, readSeq, readAt: tx.now };
    tx.put(readMarkers, row);
    const record = toReadMarker(row, gameId);
    const audience = { kind: 'players' as const, gameId, wallets: [wallet] };
    tx.emit(streamOf.player(gameId, wallet), readMarkerPatched, record, audience);
    return record;
  },
);
