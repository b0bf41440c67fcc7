import type { DriverPlayer } from './driver.ts';
import type { CallOutcome, ScriptedServer } from './scripted-server.ts';

const day = 86_400_000;

/** A player whom a launcher has signed in. */
export const grace: DriverPlayer = {
  wallet: '0xb2',
  userId: 'user b',
  username: 'Grace',
  isNamed: true,
  avatar: 'http://127.0.0.1/grace.svg',
  isGuest: false,
};

interface ScriptedSession {
  player: DriverPlayer;
  openedBy: string;
  expiresAt: number;
}

/** The players of a scripted server: it answers the operations that sign in, as the real one does. */
export class ScriptedAccounts {
  /** Of the sessions opened from now on. */
  lifetimeMs = day;
  /** By token. */
  readonly sessions = new Map<string, ScriptedSession>();
  readonly #guests = new Map<string, DriverPlayer>();

  constructor(server: ScriptedServer) {
    server.answers = {
      createGuest: ({ username }) => {
        const number = this.#guests.size + 1;
        const deviceSecret = `secret ${number}`;
        const player = {
          wallet: `0xa${number}`,
          userId: `user ${number}`,
          username: typeof username === 'string' ? username : 'Amber Otter',
          isNamed: username !== undefined,
          avatar: 'http://127.0.0.1/otter.svg',
          isGuest: true,
        };
        this.#guests.set(deviceSecret, player);
        return this.#signedIn(player, { deviceId: `device ${number}`, deviceSecret });
      },
      signInGuest: ({ deviceSecret }) => {
        const player = this.#guests.get(String(deviceSecret));
        return player ? this.#signedIn(player) : { error: { code: 401, reason: 'device_unknown' } };
      },
      getPlayer: (_, launcherJwt = '') => {
        const session = this.sessions.get(launcherJwt);
        if (!session) return { error: { code: 401, reason: 'token_invalid' } };
        const { player, openedBy, expiresAt } = session;
        const about = { sessionId: launcherJwt, gameId: 'a game', openedAt: Date.now(), openedBy, expiresAt };
        return { answer: { success: true, player: { ...player }, session: about } };
      },
      renewChannelSession: (_, launcherJwt = '') => {
        const session = this.sessions.get(launcherJwt);
        if (!session) return { error: { code: 401, reason: 'token_invalid' } };
        const renewed = this.open(session.player, session.openedBy);
        const { expiresAt } = this.#session(renewed);
        return { answer: { success: true, launcherJwt: renewed, jwt: renewed, expiresAt } };
      },
      setUsername: ({ username }, launcherJwt = '') => {
        Object.assign(this.#session(launcherJwt).player, { username, isNamed: true });
        return { answer: { success: true, username } };
      },
    };
  }

  /** Opens a session. Returns its token. */
  open(player: DriverPlayer = grace, openedBy = 'launcher'): string {
    const launcherJwt = `token ${this.sessions.size + 1}`;
    this.sessions.set(launcherJwt, { player, openedBy, expiresAt: Date.now() + this.lifetimeMs });
    return launcherJwt;
  }

  #session(launcherJwt: string): ScriptedSession {
    const session = this.sessions.get(launcherJwt);
    if (!session) throw new Error(`no session has ${launcherJwt}`);
    return session;
  }

  #signedIn(player: DriverPlayer, more: object = {}): CallOutcome {
    const launcherJwt = this.open(player, 'device');
    const { expiresAt } = this.#session(launcherJwt);
    const answer = {
      success: true,
      ...more,
      launcherJwt,
      jwt: launcherJwt,
      expiresAt,
      player: { ...player },
    };
    return { answer: { wallet: player.wallet, ...answer } };
  }
}

/** A notification for a player's stream. */
export const note = (id: string) => ({
  name: 'notifications created',
  record: {
    _id: id,
    gameId: 'a game',
    normalizedAddress: '0xa1',
    message: id,
    type: 'success',
    createdAt: 1,
  },
});
