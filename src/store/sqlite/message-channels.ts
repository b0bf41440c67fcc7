import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { newId } from '../../domain/ids.ts';
import {
  creatorPermissions,
  type MessageChannel,
  maximumParticipants,
  may,
  memberPermissions,
  type Participant,
  type Permission,
  permission,
} from '../../domain/message-channel.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import { GantryError } from '../../errors.ts';
import { type NewEvent, streamOf } from '../../events/stream.ts';
import type { ChannelInfo, MessageChannelStore, Owner } from '../store.ts';
import type { EventLog } from './event-log.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import { type DataVersion, VersionCache } from './version-cache.ts';

interface ChannelRow {
  id: string;
  game_id: string;
  name: string;
  chat_picture: string;
  created_at: number;
  updated_at: number;
}

interface ParticipantRow {
  wallet: string;
  user_group: number;
  permissions: string;
}

const rememberedChannels = 10_000;

const permissionList = z.array(permission);

/** Message channels and who is in them. */
export class SqliteMessageChannels implements MessageChannelStore {
  readonly #group: GroupCommit;
  readonly #events: EventLog;
  /** Who is in a channel is asked with every message, and changes seldom. */
  readonly #participants: VersionCache<readonly Participant[]>;
  readonly #version: DataVersion;
  readonly #statements;

  constructor(db: Database, version: DataVersion, group: GroupCommit, events: EventLog) {
    this.#participants = new VersionCache(version, rememberedChannels);
    this.#version = version;
    this.#group = group;
    this.#events = events;
    this.#statements = {
      byId: db.prepare<[string], ChannelRow>('SELECT * FROM message_channels WHERE id = ?'),
      ofExactly: db.prepare<[string, string], ChannelRow>(
        'SELECT * FROM message_channels WHERE game_id = ? AND participants_key = ? ORDER BY created_at, id LIMIT 1',
      ),
      ofMember: db.prepare<[string, string, number, number], ChannelRow>(
        `SELECT c.* FROM participants AS p JOIN message_channels AS c ON c.id = p.channel_id
         WHERE p.wallet = ? AND p.game_id = ? ORDER BY c.updated_at DESC, c.id DESC LIMIT ? OFFSET ?`,
      ),
      ofGame: db.prepare<[string, number, number], ChannelRow>(
        'SELECT * FROM message_channels WHERE game_id = ? ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?',
      ),
      countOfGame: db
        .prepare<[string], number>('SELECT count(*) FROM message_channels WHERE game_id = ?')
        .pluck(),
      idsOfMember: db
        .prepare<[string], string>('SELECT channel_id FROM participants WHERE wallet = ?')
        .pluck(),
      countOfMember: db
        .prepare<[string, string], number>(
          'SELECT count(*) FROM participants WHERE wallet = ? AND game_id = ?',
        )
        .pluck(),
      participants: db.prepare<[string], ParticipantRow>(
        'SELECT wallet, user_group, permissions FROM participants WHERE channel_id = ? ORDER BY position',
      ),
      insert: db.prepare(
        `INSERT INTO message_channels (id, game_id, participants_key, created_at, updated_at)
         VALUES (@id, @gameId, @key, @now, @now)`,
      ),
      insertParticipant: db.prepare(
        `INSERT INTO participants (channel_id, wallet, game_id, permissions, position, joined_seq)
         VALUES (@channelId, @wallet, @gameId, @permissions,
           (SELECT coalesce(max(position), 0) + 1 FROM participants WHERE channel_id = @channelId), @joinedSeq)`,
      ),
      deleteParticipant: db.prepare('DELETE FROM participants WHERE channel_id = ? AND wallet = ?'),
      rememberLeaving: db.prepare(
        'INSERT INTO left_channels (wallet, channel_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      ),
      setPermissions: db.prepare(
        'UPDATE participants SET permissions = ? WHERE channel_id = ? AND wallet = ?',
      ),
      update: db.prepare(
        `UPDATE message_channels SET participants_key = @key, name = @name, chat_picture = @chatPicture,
           updated_at = @now WHERE id = @id`,
      ),
    };
  }

  create({ gameId, wallet }: Owner, others: readonly string[]): Promise<MessageChannel> {
    return this.#group.write((tx) => {
      const key = keyOf([wallet, ...others]);
      const existing = this.#statements.ofExactly.get(gameId, key);
      if (existing) return this.#toChannel(existing);
      const id = newId();
      this.#statements.insert.run({ id, gameId, key, now: tx.now });
      this.#add(id, gameId, wallet, creatorPermissions);
      for (const other of others) this.#add(id, gameId, other, memberPermissions);
      const channel = this.#byId(id);
      tx.emit({ ...addressedTo(channel), name: 'message-channels created', record: channel });
      return channel;
    });
  }

  async list({ gameId, wallet }: Owner, page: Page): Promise<Paged<MessageChannel>> {
    return {
      total: this.#statements.countOfMember.get(wallet, gameId) ?? 0,
      rows: this.#statements.ofMember
        .all(wallet, gameId, page.limit, page.skip)
        .map((row) => this.#toChannel(row)),
    };
  }

  async get(member: Owner, channelId: string, wanted?: Permission): Promise<MessageChannel> {
    return this.require(member, channelId, wanted);
  }

  /** The channel, to someone who is in it; null to everyone else. */
  find(member: Owner, channelId: string): MessageChannel | null {
    const row = this.#statements.byId.get(channelId);
    if (row?.game_id !== member.gameId) return null;
    const channel = this.#toChannel(row);
    return channel.participants.some(({ wallet }) => wallet === member.wallet) ? channel : null;
  }

  /** The channel, to someone who is in it and may do what is asked. */
  require(member: Owner, channelId: string, wanted?: Permission): MessageChannel {
    const channel = this.find(member, channelId);
    if (!channel) throw new GantryError('channel_unknown', 'There is no such message channel');
    if (wanted && !channel.participants.some((one) => one.wallet === member.wallet && may(one, wanted))) {
      throw new GantryError('permission_missing', `This takes the permission ${wanted} in the channel`);
    }
    return channel;
  }

  addParticipant(by: Owner, channelId: string, wallet: string): Promise<MessageChannel> {
    return this.#group.write((tx) => {
      const channel = this.require(by, channelId, 'add-members');
      if (channel.participants.some((one) => one.wallet === wallet)) {
        throw new GantryError('participants_invalid', `${wallet} is in the channel already`);
      }
      if (channel.participants.length >= maximumParticipants) {
        throw new GantryError(
          'participants_invalid',
          `A channel has at most ${maximumParticipants} participants`,
        );
      }
      this.#add(channelId, channel.gameId, wallet, memberPermissions);
      return this.#changed(tx, channelId);
    });
  }

  removeParticipant(by: Owner, channelId: string, wallet: string): Promise<MessageChannel> {
    return this.#group.write((tx) => {
      const channel = this.require(by, channelId, wallet === by.wallet ? undefined : 'super-admin');
      if (!channel.participants.some((one) => one.wallet === wallet)) {
        throw new GantryError('participants_invalid', `${wallet} is not in the channel`);
      }
      return this.#remove(tx, channelId, wallet);
    });
  }

  editInfo(by: Owner, channelId: string, info: ChannelInfo): Promise<MessageChannel> {
    return this.#group.write((tx) => {
      this.require(by, channelId, 'edit-info');
      return this.#changed(tx, channelId, info);
    });
  }

  async listOfGame(gameId: string, page: Page): Promise<Paged<MessageChannel>> {
    return {
      total: this.#statements.countOfGame.get(gameId) ?? 0,
      rows: this.#statements.ofGame.all(gameId, page.limit, page.skip).map((row) => this.#toChannel(row)),
    };
  }

  /** The channel, whoever asks. */
  requireById(channelId: string): MessageChannel {
    const row = this.#statements.byId.get(channelId);
    if (!row) throw new GantryError('channel_unknown', 'There is no such message channel');
    return this.#toChannel(row);
  }

  /** Inside a transaction: takes a wallet out of every channel it is in. */
  leaveAllWithin(tx: Transaction, wallet: string): void {
    for (const channelId of this.#statements.idsOfMember.all(wallet)) this.#remove(tx, channelId, wallet);
  }

  #remove(tx: Transaction, channelId: string, wallet: string): MessageChannel {
    this.#statements.deleteParticipant.run(channelId, wallet);
    this.#statements.rememberLeaving.run(wallet, channelId);
    this.#version.changed();
    this.#keepAnAdministrator(channelId);
    return this.#changed(tx, channelId);
  }

  #add(channelId: string, gameId: string, wallet: string, permissions: readonly Permission[]): void {
    this.#version.changed();
    this.#statements.insertParticipant.run({
      channelId,
      wallet,
      gameId,
      permissions: JSON.stringify(permissions),
      joinedSeq: this.#events.seqOf(streamOf.channel(channelId)),
    });
  }

  /** When the last super-admin has left, whoever has been there longest takes over. */
  #keepAnAdministrator(channelId: string): void {
    const { participants } = this.#byId(channelId);
    const [longest] = participants;
    if (!longest || participants.some((one) => one.permissions.includes('super-admin'))) return;
    this.#statements.setPermissions.run(JSON.stringify(creatorPermissions), channelId, longest.wallet);
    this.#version.changed();
  }

  /** Writes what was changed of the channel, and tells whoever is in it now. */
  #changed(tx: Transaction, channelId: string, info: ChannelInfo = {}): MessageChannel {
    const before = this.#byId(channelId);
    const channel: MessageChannel = {
      ...before,
      name: info.name ?? before.name,
      chatPicture: info.chatPicture ?? before.chatPicture,
      updatedAt: tx.now,
    };
    this.#statements.update.run({
      id: channelId,
      key: keyOf(channel.participants.map((one) => one.wallet)),
      name: channel.name,
      chatPicture: channel.chatPicture,
      now: tx.now,
    });
    tx.emit({ ...addressedTo(channel), name: 'message-channels patched', record: channel });
    return channel;
  }

  #byId(channelId: string): MessageChannel {
    const row = this.#statements.byId.get(channelId);
    if (!row) throw new Error(`message channel ${channelId} is not there`);
    return this.#toChannel(row);
  }

  #participantsOf(channelId: string): readonly Participant[] {
    const read = () =>
      this.#statements.participants.all(channelId).map((one) => ({
        wallet: one.wallet,
        userGroup: one.user_group,
        permissions: permissionList.parse(JSON.parse(one.permissions)),
      }));
    return this.#participants.get(channelId, read) ?? [];
  }

  #toChannel(row: ChannelRow): MessageChannel {
    return {
      _id: row.id,
      name: row.name,
      chatPicture: row.chat_picture,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      participants: [...this.#participantsOf(row.id)],
      gameId: row.game_id,
    };
  }
}

/** Where an event of a channel goes: everyone who is in it as it stands. */
export function addressedTo(channel: MessageChannel): Pick<NewEvent, 'stream' | 'audience'> {
  return {
    stream: streamOf.channel(channel._id),
    audience: {
      kind: 'players',
      gameId: channel.gameId,
      wallets: channel.participants.map((one) => one.wallet),
    },
  };
}

function keyOf(wallets: readonly string[]): string {
  return [...wallets].sort().join(',');
}
