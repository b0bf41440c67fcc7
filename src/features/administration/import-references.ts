import { streamOf } from '../../core/events/stream.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import type { AnyRow, AnyTable, Value } from '../../core/storage/table.ts';
import { maxParticipants } from '../messages/message-channel.ts';
import { eventSeqsOf, participantsKeyOf, reactionsOf } from '../messages/message-rows.ts';
import {
  formerParticipants,
  messageChannels,
  messageReactions,
  messages,
  participants,
  readMarkers,
} from '../messages/tables.ts';
import { notifications } from '../notifications/tables.ts';
import { leaderboardRecords } from '../scores/leaderboard-tables.ts';
import { scores } from '../scores/tables.ts';

/**
 * Checks what the records of a game file say about each other: streams, channels, numbers of events, and counts of
 * reactions. Add each record in the order of the file.
 */
export class ImportReferences {
  readonly #channels = new Map<string, { row: AnyRow; wallets: string[] }>();
  /** The names of the players' streams. */
  readonly #players = new Set<string>();
  readonly #channelStreams: string[] = [];
  /** The seq of each stream of the file. */
  readonly #seqs = new Map<string, number>();
  /** The events that messages of the file name, each by its stream and seq. */
  readonly #namedEvents = new Set<string>();
  /** Reactions counted by messages minus reaction rows imported, by message and reaction; zeros are removed. */
  readonly #reactions = new Map<string, number>();

  /** @throws DatabaseUnusableError */
  addStream(
    gameId: string,
    { name, wallet, seq }: { name: string; wallet: string | null; seq: number },
  ): void {
    const ofChannel = streamOf.channel('');
    if (wallet !== null && name === streamOf.player(gameId, wallet)) this.#players.add(name);
    else if (wallet === null && name.startsWith(ofChannel))
      this.#channelStreams.push(name.slice(ofChannel.length));
    else if (wallet !== null || name !== streamOf.game(gameId)) {
      throw new DatabaseUnusableError(`The stream ${JSON.stringify(name)} does not belong to this game`);
    }
    this.#seqs.set(name, seq);
  }

  /** @throws DatabaseUnusableError */
  add(gameId: string, table: AnyTable, row: AnyRow): void {
    const { stream, via } = table.of;
    if (stream !== undefined && !this.#players.has(String(row[stream]))) {
      throw new DatabaseUnusableError(`A record of ${table.name} is of a stream that is not in the file`);
    }
    if (table === messageChannels) this.#channels.set(String(row.id), { row, wallets: [] });
    const channelId = via?.table === messageChannels ? row[via.column] : row.channelId;
    // Null for a report about a player rather than a message; empty for a mute in the whole game.
    if (channelId !== undefined && channelId !== null && channelId !== '') {
      const { wallets } = this.#requireChannel(table.name, String(channelId));
      if (table === participants && wallets.push(String(row.wallet)) > maxParticipants) {
        throw new DatabaseUnusableError('A message channel of the file has too many participants');
      }
    }
    this.#refuseForeignSeqs(gameId, table, row);
    this.#countReactions(table, row);
  }

  /** Call this after the last record. @throws DatabaseUnusableError */
  requireConsistency(): void {
    for (const channelId of this.#channelStreams) this.#requireChannel('streams', channelId);
    for (const { row, wallets } of this.#channels.values()) {
      const participantsKey = participantsKeyOf(wallets);
      // With a wrong key, starting a channel with some players would return other players' channel.
      if (row.participantsKey !== participantsKey)
        throw new DatabaseUnusableError(
          'A record of message_channels does not match the participants of its channel; nothing was changed.',
        );
    }
    if (this.#reactions.size > 0)
      throw new DatabaseUnusableError(
        'A record of messages has reaction counts that do not match its reactions; nothing was changed.',
      );
  }

  /**
   * Numbers of events must be of events that the file's own streams have had: a later one would be an event that
   * another player is going to cause here, which unsending the message would erase.
   */
  #refuseForeignSeqs(gameId: string, table: AnyTable, row: AnyRow): void {
    const named = eventsNamedBy(gameId, table, row);
    for (const { stream, seq } of named?.seqs ?? []) {
      const isOwn = seq <= (this.#seqs.get(stream) ?? 0);
      const event = `${stream} ${seq}`;
      if (!isOwn || (named?.isExclusive && this.#namedEvents.has(event))) {
        throw new DatabaseUnusableError(
          `A record of ${table.name} names an event that is not its own: ${seq} of ${stream}; nothing was changed.`,
        );
      }
      if (named?.isExclusive) this.#namedEvents.add(event);
    }
  }

  #countReactions(table: AnyTable, row: AnyRow): void {
    const add = (messageId: Value | undefined, reaction: Value | undefined, by: number) => {
      const key = `${messageId} ${reaction}`;
      const count = (this.#reactions.get(key) ?? 0) + by;
      if (count === 0) this.#reactions.delete(key);
      else this.#reactions.set(key, count);
    };
    if (table === messageReactions) add(row.messageId, row.reaction, -1);
    if (table === messages && typeof row.reactions === 'string') {
      for (const [reaction, count] of reactionsOf({ reactions: row.reactions })) add(row.id, reaction, count);
    }
  }

  #requireChannel(type: string, channelId: string) {
    const channel = this.#channels.get(channelId);
    if (channel) return channel;
    throw new DatabaseUnusableError(`A record of ${type} refers to a channel that is not in the file`);
  }
}

/** The events that a row refers to, by stream and seq. `isExclusive`: no other row may refer to them. */
function eventsNamedBy(
  gameId: string,
  table: AnyTable,
  row: AnyRow,
): { seqs: readonly { stream: string; seq: number }[]; isExclusive?: boolean } | null {
  const inChannel = (...seqs: (Value | undefined)[]) =>
    seqs.map((seq) => ({ stream: streamOf.channel(String(row.channelId)), seq: Number(seq) }));
  switch (table) {
    case scores as AnyTable:
    case leaderboardRecords as AnyTable:
      return { seqs: [{ stream: String(row.stream), seq: Number(row.revision) }] };
    case notifications as AnyTable:
      return {
        seqs: [{ stream: streamOf.player(gameId, String(row.wallet)), seq: Number(row.eventSeq) }],
      };
    case participants as AnyTable:
      return { seqs: inChannel(row.joinedSeq) };
    case formerParticipants as AnyTable:
      return { seqs: inChannel(row.joinedSeq, row.leftSeq) };
    case readMarkers as AnyTable:
      return { seqs: inChannel(row.readSeq) };
    case messages as AnyTable:
      return { seqs: inChannel(...eventSeqsOf({ eventSeqs: String(row.eventSeqs) })), isExclusive: true };
    default:
      return null;
  }
}
