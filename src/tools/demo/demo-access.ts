import type { PublicUrls } from '../../core/public-urls.ts';
import type { Store } from '../../core/storage/store.ts';
import { findGameBySlug } from '../../features/games/queries.ts';
import type { SessionDetails } from '../../features/sessions/channel-session.ts';
import { startSession } from '../../features/sessions/commands.ts';
import type { LauncherTokens } from '../../features/sessions/launcher-token.ts';
import { issueToken } from '../../features/sessions/new-session.ts';
import { liveSessions } from '../../features/sessions/queries.ts';
import { demoPlayers, demoSlug } from './demo-data.ts';

/** A token printed on start stays valid for at least this long. */
const minTokenLifetimeMs = 60 * 60 * 1000;

/** What the welcome message needs to show how to try the demo game. */
export interface DemoAccess {
  gameId: string;
  username: string;
  wallet: string;
  launcherJwt: string;
  /** A second player, to exchange messages with. */
  otherWallet: string;
}

/** Access to the demo game; null when it does not exist. */
export async function demoAccess(services: {
  db: Store;
  tokens: LauncherTokens;
  publicUrls: PublicUrls;
  sessionLifetimeMs: number;
}): Promise<DemoAccess | null> {
  const { db, sessionLifetimeMs } = services;
  const game = await db.read(findGameBySlug, demoSlug);
  const [player, other] = demoPlayers;
  if (!game || !player || !other) return null;
  const details = await sessionOf(db, { gameId: game.id, wallet: player.wallet }, sessionLifetimeMs);
  return {
    gameId: game.id,
    username: player.username,
    wallet: player.wallet,
    launcherJwt: await issueToken(details, services),
    otherWallet: other.wallet,
  };
}

/** Reuses the player's session from an earlier start while it lasts, so that restarts do not accumulate sessions. */
async function sessionOf(
  db: Store,
  owner: { gameId: string; wallet: string },
  lifetimeMs: number,
): Promise<SessionDetails> {
  const live = await db.read(liveSessions, owner.wallet);
  const reusable = live.find(
    ({ session }) => session.gameId === owner.gameId && session.expiresAt > Date.now() + minTokenLifetimeMs,
  );
  return reusable ?? db.write(startSession, owner, lifetimeMs);
}
