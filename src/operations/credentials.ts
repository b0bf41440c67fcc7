import type { AnyOperation } from './define.ts';

/** Whether it is called with a player's token and nothing else: a game's server cannot call it. */
export function takesToken({ auth }: Pick<AnyOperation, 'auth'>): boolean {
  return auth === 'player' || auth === 'session';
}

/** Whether a game's server calls it in a player's place. */
export function isOpenToServers({ auth }: Pick<AnyOperation, 'auth'>): boolean {
  return auth === 'player-or-server' || auth === 'player-or-game';
}
