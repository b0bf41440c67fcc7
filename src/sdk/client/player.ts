import { callOverHttp } from './http-call.ts';

/** The player of a session. */
export interface Player {
  wallet: string;
  userId: string;
  /** The name others see, never empty. */
  username: string;
  /** Whether the player chose the name. */
  isNamed: boolean;
  /** The URL of the player's picture. */
  avatar: string;
  isGuest: boolean;
}

/** A player's session in a game. */
export interface SignedIn {
  launcherJwt: string;
  /** The player's address. */
  wallet: string;
  player: Player;
  /** When the session ends, in Unix milliseconds. */
  expiresAt: number;
}

/** The session of a token, and whether its player opened it, so that it can be renewed. @throws GantryError */
export async function signedInWith(url: string, launcherJwt: string): Promise<SignedIn & { isOwn: boolean }> {
  const answer = await callOverHttp(url, 'getPlayer', { launcherJwt });
  const { player, session } = answer as {
    player: Player;
    session: { openedBy: string; expiresAt: number };
  };
  const isOwn = session.openedBy === 'device' || session.openedBy === 'wallet';
  return { launcherJwt, wallet: player.wallet, player, expiresAt: session.expiresAt, isOwn };
}
