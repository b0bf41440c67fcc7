import type { Audience } from '../../core/events/stream.ts';
import { streams } from '../../core/events/tables.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { sessions } from '../sessions/tables.ts';
import { defaultPrivacy, type Privacy } from './privacy.ts';
import { gameOfStream, maxGames, toPrivacy } from './queries.ts';
import { playerPrivacy } from './tables.ts';

export function* privacyIn(tx: Tx, wallet: string): Steps<Privacy> {
  const row = yield* tx.get(playerPrivacy, wallet);
  return row ? toPrivacy(row) : defaultPrivacy;
}

/** Who has opened a session has nearly always more in the game than that, so the latest are enough. */
const maxSessions = 20;

/** Who may receive an event of `wallet`'s account stream that is about another player. */
export function* accountAudience(tx: Tx, wallet: string, other: string): Steps<Audience> {
  const [own, opened] = yield* tx.all(
    tx.list(streams.byWallet, [other], { limit: maxGames }),
    tx.list(sessions.byWallet, [other], { limit: maxSessions, last: true }),
  );
  const games = new Set(own.flatMap(({ name }) => gameOfStream(name) ?? []));
  for (const { gameId } of opened) games.add(gameId);
  return { kind: 'account', wallet, inGames: [...games] };
}
