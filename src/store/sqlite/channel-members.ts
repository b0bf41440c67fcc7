import type { Database } from 'better-sqlite3';
import type { ChannelMember, ChannelMemberStore, Owner } from '../store.ts';
import type { SqliteChannelSessions } from './channel-sessions.ts';
import type { SqliteMessageChannels } from './message-channels.ts';

/** Sessions of a member that are looked at: the newest ones in the game, and as many in launchers. */
const sessionsLookedAt = 5;

interface ProfileRow {
  username: string;
  avatar: string;
}

export class SqliteChannelMembers implements ChannelMemberStore {
  readonly #channels: SqliteMessageChannels;
  readonly #sessions: SqliteChannelSessions;
  readonly #profile;

  constructor(db: Database, channels: SqliteMessageChannels, sessions: SqliteChannelSessions) {
    this.#channels = channels;
    this.#sessions = sessions;
    this.#profile = db.prepare<[string], ProfileRow>('SELECT username, avatar FROM players WHERE wallet = ?');
  }

  async list(member: Owner, channelId: string): Promise<ChannelMember[]> {
    const { participants } = this.#channels.require(member, channelId);
    return Promise.all(participants.map(({ wallet }) => this.#member(member.gameId, wallet)));
  }

  async #member(gameId: string, wallet: string): Promise<ChannelMember> {
    // Someone who was put in a channel need not have signed in yet.
    const { username, avatar } = this.#profile.get(wallet) ?? { username: '', avatar: '' };
    const live = await this.#sessions.listLive(wallet);
    const inGame = live.filter(({ game }) => game.id === gameId).slice(0, sessionsLookedAt);
    const inLaunchers = live.filter(({ game }) => game.kind === 'launcher').slice(0, sessionsLookedAt);
    const sessionIds = new Set([...inGame, ...inLaunchers].map(({ session }) => session.id));
    return { wallet, username, avatar, sessionIds: [...sessionIds] };
  }
}
