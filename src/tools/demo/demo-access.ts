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

/** The demo game, and one of its players. */
export interface DemoGame {
  gameId: string;
  slug: string;
  username: string;
  wallet: string;
}

/** The same, with a token of the player. */
export interface DemoAccess extends DemoGame {
  launcherJwt: string;
}

/** The demo game; null when it does not exist. */
export async function demoGame(db: Store): Promise<DemoGame | null> {
  const game = await db.read(findGameBySlug, demoSlug);
  const [player] = demoPlayers;
  if (!game || !player) return null;
  return { gameId: game.id, slug: demoSlug, username: player.username, wallet: player.wallet };
}

/** Access to the demo game. */
export async function demoAccess(
  demo: DemoGame,
  services: { db: Store; tokens: LauncherTokens; publicUrls: PublicUrls; sessionLifetimeMs: number },
): Promise<DemoAccess> {
  const details = await sessionOf(services.db, demo, services.sessionLifetimeMs);
  return { ...demo, launcherJwt: await issueToken(details, services) };
}

/** Reuses the player's session from an earlier start while it lasts, so that restarts do not accumulate sessions. */
async function sessionOf(
  db: Store,
  { gameId, wallet }: DemoGame,
  lifetimeMs: number,
): Promise<SessionDetails> {
  const live = await db.read(liveSessions, wallet);
  const reusable = live.find(
    ({ session }) => session.gameId === gameId && session.expiresAt > Date.now() + minTokenLifetimeMs,
  );
  return reusable ?? db.write(startSession, { gameId, wallet }, lifetimeMs);
}
