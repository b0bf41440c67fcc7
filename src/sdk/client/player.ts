import { callOverHttp, type GameServer } from './http-call.ts';
import type { OperationOutput, OwnPlayer } from './operation-types.ts';

/** The player of a session. */
export type Player = OwnPlayer;

/** A player's session in a game. */
export interface SignedIn {
  launcherJwt: string;
  /** The player's address. */
  wallet: string;
  player: Player;
  /** When the session ends, in Unix milliseconds. */
  expiresAt: number;
}

/**
 * The session of a token, and whether its player opened it, so that it can be renewed. @throws GantryError also
 * `game_mismatch`: it is one of another game than `game`
 */
export async function signedInWith(
  server: GameServer,
  launcherJwt: string,
  game?: string,
): Promise<SignedIn & { isOwn: boolean }> {
  const answer = await callOverHttp(server, 'getPlayer', { launcherJwt }, { game });
  const { player, session } = answer as OperationOutput<'getPlayer'>;
  const isOwn = session.openedBy === 'device' || session.openedBy === 'wallet';
  return { launcherJwt, wallet: player.wallet, player, expiresAt: session.expiresAt, isOwn };
}
