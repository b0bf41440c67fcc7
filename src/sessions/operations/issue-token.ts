import type { PublicUrls } from '../../public-urls.ts';
import type { SessionDetails } from '../channel-session.ts';
import type { LauncherTokens } from '../launcher-token.ts';

/** The launcher token of a channel session; it can be made again, and lasts as long as the session. */
export function issueToken(
  { session, player }: SessionDetails,
  { tokens, publicUrls }: { tokens: LauncherTokens; publicUrls: PublicUrls },
): Promise<string> {
  return tokens.issue({
    sessionId: session.id,
    userId: player.userId,
    gameId: session.gameId,
    address: player.wallet,
    username: player.username || undefined,
    avatar: publicUrls.avatar(player),
    issuedAt: session.openedAt,
    expiresAt: session.expiresAt,
  });
}
