import type { Audience } from '../../core/events/stream.ts';
import { streams } from '../../core/events/tables.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { defaultPrivacy, type Privacy } from './privacy.ts';
import { gameOfStream, maxGames, toPrivacy } from './queries.ts';
import { playerPrivacy } from './tables.ts';

export function* privacyIn(tx: Tx, wallet: string): Steps<Privacy> {
  const row = yield* tx.get(playerPrivacy, wallet);
  return row ? toPrivacy(row) : defaultPrivacy;
}

/** Who may hear an event of `wallet`'s account stream that is about another player. */
export function* accountAudience(tx: Tx, wallet: string, other: string): Steps<Audience> {
  const rows = yield* tx.list(streams.byWallet, [other], { limit: maxGames });
  return { kind: 'account', wallet, inGames: rows.flatMap(({ name }) => gameOfStream(name) ?? []) };
}
