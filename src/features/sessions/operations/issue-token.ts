import type { PublicUrls } from '../../../core/public-urls.ts';
import type { SessionDetails } from '../channel-session.ts';
import type { LauncherTokens } from '../launcher-token.ts';

/** Issues the launcher token of a channel session, valid as long as the session; it can be issued repeatedly. */
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
