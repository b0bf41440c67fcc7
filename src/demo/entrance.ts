import { issueToken } from '../operations/channel-sessions/issue-token.ts';
import type { Services } from '../operations/define.ts';
import type { SessionDetails, Store } from '../store/store.ts';
import { demoPlayers, demoSlug } from './demo-data.ts';

/** A token given out at start should outlast the first look around. */
const worthGivingMs = 60 * 60 * 1000;

/** What a newcomer needs to try the demo game. */
export interface DemoEntrance {
  gameId: string;
  username: string;
  wallet: string;
  launcherJwt: string;
  /** Someone to talk to. */
  otherWallet: string;
}

/** The way into the demo game; null when it is not there. */
export async function demoEntrance(services: Services): Promise<DemoEntrance | null> {
  const { store, sessionLifetimeMs } = services;
  const game = await store.games.findBySlug(demoSlug);
  const [player, other] = demoPlayers;
  if (!game || !player || !other) return null;
  const details = await sessionOf(store, { gameId: game.id, wallet: player.wallet }, sessionLifetimeMs);
  return {
    gameId: game.id,
    username: player.username,
    wallet: player.wallet,
    launcherJwt: await issueToken(details, services),
    otherWallet: other.wallet,
  };
}

/** The player's session of an earlier start while it lasts, so that starting often does not pile them up. */
async function sessionOf(
  store: Store,
  owner: { gameId: string; wallet: string },
  lifetimeMs: number,
): Promise<SessionDetails> {
  const live = await store.sessions.listLive(owner.wallet);
  const lasting = live.find(
    ({ session }) => session.gameId === owner.gameId && session.expiresAt > Date.now() + worthGivingMs,
  );
  return lasting ?? store.sessions.open(owner, lifetimeMs);
}
