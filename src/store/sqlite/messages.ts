import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { newId } from '../../domain/ids.ts';
import type {
  ChannelMessage,
  MessageChannel,
  MessageIdentity,
  Permission,
} from '../../domain/message-channel.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import { GantryError } from '../../errors.ts';
import { streamOf } from '../../events/stream.ts';
import type { MessageStore, Owner } from '../store.ts';
import type { EventLog } from './event-log.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import { addressedTo, type SqliteMessageChannels } from './message-channels.ts';

interface MessageRow {
  id: string;
  channel_id: string;
  sender: string;
  content: string;
  event_seqs: string;
  created_at: number;
  updated_at: number;
}

const seqList = z.array(z.int());

/** The messages of message channels. */
export class SqliteMessages implements MessageStore {
  readonly #group: GroupCommit;
  readonly #channels: SqliteMessageChannels;
  readonly #events: EventLog;
  readonly #statements;

  constructor(db: Database, group: GroupCommit, channels: SqliteMessageChannels, events: EventLog) {
    this.#group = group;
    this.#channels = channels;
    this.#events = events;
    this.#statements = {
      find: db.prepare<[string], MessageRow>('SELECT * FROM messages WHERE id = ?'),
      sentBy: db.prepare<[string], MessageRow>('SELECT * FROM messages WHERE sender = ?'),
      list: db.prepare<[string, number, number], MessageRow>(
        'SELECT * FROM messages WHERE channel_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
      ),
      insert: db.prepare(
        `INSERT INTO messages (id, channel_id, sender, content, event_seqs, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ),
      update: db.prepare('UPDATE messages SET content = ?, event_seqs = ?, updated_at = ? WHERE id = ?'),
      delete: db.prepare('DELETE FROM messages WHERE id = ?'),
      count: db.prepare(
        'UPDATE message_channels SET message_count = message_count + ?, updated_at = ? WHERE id = ?',
      ),
      uncount: db.prepare('UPDATE message_channels SET message_count = message_count - 1 WHERE id = ?'),
      total: db.prepare<[string], number>('SELECT message_count FROM message_channels WHERE id = ?').pluck(),
    };
  }

  async list(member: Owner, channelId: string, page: Page): Promise<Paged<ChannelMessage>> {
    this.#channels.require(member, channelId);
    return this.#page(channelId, page);
  }

  send(sender: Owner, channelId: string, content: string): Promise<ChannelMessage> {
    return this.#group.write((tx) => {
      const channel = this.#channels.require(sender, channelId, 'send-messages');
      const message: ChannelMessage = {
        _id: newId(),
        channelId,
        senderId: sender.wallet,
        content,
        createdAt: tx.now,
        updatedAt: tx.now,
      };
      const seq = tx.emit({ ...addressedTo(channel), name: 'chat-messages created', record: message });
      this.#statements.insert.run(message._id, channelId, sender.wallet, content, `[${seq}]`, tx.now, tx.now);
      this.#statements.count.run(1, tx.now, channelId);
      return message;
    });
  }

  edit(sender: Owner, messageId: string, content: string): Promise<ChannelMessage> {
    return this.#group.write((tx) => {
      const { row, channel } = this.#own(sender, messageId, 'send-messages');
      const message: ChannelMessage = { ...toMessage(row), content, updatedAt: tx.now };
      const seq = tx.emit({ ...addressedTo(channel), name: 'chat-messages patched', record: message });
      const seqs = [...seqsOf(row), seq];
      this.#statements.update.run(content, JSON.stringify(seqs), tx.now, messageId);
      this.#statements.count.run(0, tx.now, row.channel_id);
      return message;
    });
  }

  unsend(sender: Owner, messageId: string): Promise<MessageIdentity> {
    return this.#group.write((tx) => {
      const { row, channel } = this.#own(sender, messageId);
      return this.#erase(tx, row, channel);
    });
  }

  remove(messageId: string): Promise<MessageIdentity> {
    return this.#group.write((tx) => {
      const row = this.#statements.find.get(messageId);
      if (!row) throw new GantryError('message_unknown', 'There is no such message');
      return this.#erase(tx, row, this.#channels.requireById(row.channel_id));
    });
  }

  async listForModeration(channelId: string, page: Page): Promise<Paged<ChannelMessage>> {
    this.#channels.requireById(channelId);
    return this.#page(channelId, page);
  }

  /** Inside a transaction: every message a wallet sent, in channels it has left too. */
  eraseAllOfWithin(tx: Transaction, wallet: string): void {
    for (const row of this.#statements.sentBy.all(wallet)) {
      this.#erase(tx, row, this.#channels.requireById(row.channel_id));
    }
  }

  #page(channelId: string, page: Page): Paged<ChannelMessage> {
    return {
      total: this.#statements.total.get(channelId) ?? 0,
      rows: this.#statements.list.all(channelId, page.limit, page.skip).map(toMessage),
    };
  }

  #erase(tx: Transaction, row: MessageRow, channel: MessageChannel): MessageIdentity {
    const identity: MessageIdentity = {
      _id: row.id,
      channelId: row.channel_id,
      senderId: row.sender,
      createdAt: row.created_at,
      updatedAt: tx.now,
    };
    tx.scrub();
    this.#events.blankField(streamOf.channel(row.channel_id), seqsOf(row), 'content');
    this.#statements.delete.run(row.id);
    this.#statements.uncount.run(row.channel_id);
    tx.emit({ ...addressedTo(channel), name: 'chat-messages removed', record: identity });
    return identity;
  }

  /** A message this player sent and can still reach; to others in the channel it is there, but not theirs. */
  #own(
    sender: Owner,
    messageId: string,
    permission?: Permission,
  ): { row: MessageRow; channel: MessageChannel } {
    const row = this.#statements.find.get(messageId);
    const channel = row && this.#channels.find(sender, row.channel_id);
    if (!row || !channel) throw new GantryError('message_unknown', 'There is no such message');
    if (row.sender !== sender.wallet) {
      throw new GantryError('not_the_sender', 'Only the sender may edit or unsend a message');
    }
    if (permission) this.#channels.require(sender, row.channel_id, permission);
    return { row, channel };
  }
}

function seqsOf(row: MessageRow): number[] {
  return seqList.parse(JSON.parse(row.event_seqs));
}

function toMessage(row: MessageRow): ChannelMessage {
  return {
    _id: row.id,
    channelId: row.channel_id,
    senderId: row.sender,
    content: row.content,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
