import type { Player } from './player.ts';
import type { PlayerRow } from './tables.ts';

export function toPlayer({ userId, wallet, username, avatar }: PlayerRow): Player {
  return { userId, wallet, username, avatar };
}
