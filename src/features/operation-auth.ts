import type { AnyOperation } from './operation.ts';

/** Whether it requires a player's token, so that a game's server cannot call it. */
export function takesToken({ auth }: Pick<AnyOperation, 'auth'>): boolean {
  return auth === 'player' || auth === 'session';
}

/** Whether a game's server may call it on behalf of a player. */
export function isOpenToServers({ auth }: Pick<AnyOperation, 'auth'>): boolean {
  return auth === 'player-or-server' || auth === 'player-or-game';
}
