import type { Owner } from '../../core/schemas/owner.ts';
import { columnsOf, query, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { Player } from '../players/player.ts';
import { findPlayersOf } from '../players/queries.ts';
import { isNotBlocked } from './blocked-senders.ts';
import type { ChannelMessage, MessageChannel } from './message-channel.ts';
import { idsOfJson, seqOfMessage, toMessage } from './message-rows.ts';
import { type MessageRow, messages } from './tables.ts';

/** How many of a channel's newest messages are searched for one that the player may see. */
export const searchedForPreview = 100;
/** How many of a channel's other participants a preview names. */
export const namedInPreview = 4;

/** A participant's profile; the name and the avatar are empty until the player sets them. */
export type ParticipantProfile = Pick<Player, 'wallet' | 'username' | 'avatar'>;

/** What a list of channels shows of them. */
export interface ChannelPreviews {
  /** The last message by channel, for the channels that have one. */
  lastMessages: ReadonlyMap<string, ChannelMessage>;
  profiles: ParticipantProfile[];
}

/**
 * The last messages of these channels that the player may see (sent while the player was in the channel or before, by
 * players whom the player does not block), and the profiles of the first participants.
 */
export const readPreviews = query(
  'readPreviews',
  function* (
    read,
    { gameId, wallet }: Owner,
    channels: readonly Pick<MessageChannel, '_id' | 'participants'>[],
  ): ReadSteps<ChannelPreviews> {
    const ids = JSON.stringify(channels.map(({ _id }) => _id));
    const rows = yield* read.all(lastMessages, { gameId, wallet, ids, searched: searchedForPreview });
    const others = channels.flatMap(({ participants }) =>
      participants.filter((one) => one.wallet !== wallet).slice(0, namedInPreview),
    );
    const wallets = [...new Set(others.map((one) => one.wallet))];
    const found = yield* findPlayersOf(read, wallets);
    const known = new Map(found.map((one) => [one.wallet, one]));
    return {
      lastMessages: new Map(rows.map((row) => [row.channelId, toMessage(row)])),
      profiles: wallets.map((one) => known.get(one) ?? { wallet: one, username: '', avatar: '' }),
    };
  },
);

/**
 * A message was sent in an absence of the player if the last stay that began before it had ended by then, and the
 * current one had not begun.
 */
const lastText = (seq: string, ids: string) =>
  `SELECT ${columnsOf(messages)} FROM messages WHERE id IN (
    SELECT (SELECT n.id FROM (
        SELECT m.id, m.sender, ${seq} AS seq FROM messages AS m WHERE m.channel_id = p.channel_id
        ORDER BY ${seq} DESC LIMIT @searched) AS n
      WHERE ${isNotBlocked('n')} AND (n.seq > p.joined_seq OR n.seq <= coalesce((
          SELECT f.left_seq FROM former_participants AS f
          WHERE f.wallet = p.wallet AND f.channel_id = p.channel_id AND f.left_seq > 0 AND f.joined_seq < n.seq
          ORDER BY f.joined_seq DESC LIMIT 1), n.seq))
      ORDER BY n.seq DESC LIMIT 1)
    FROM participants AS p WHERE p.wallet = @wallet AND p.game_id = @gameId AND p.channel_id IN (${ids}))`;
const lastMessages = statement<{ gameId: string; wallet: string; ids: string; searched: number }, MessageRow>(
  {
    sqlite: lastText(seqOfMessage.sqlite, idsOfJson.sqlite),
    postgres: lastText(seqOfMessage.postgres, idsOfJson.postgres),
  },
);
