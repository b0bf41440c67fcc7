import { shownName } from '../../domain/player.ts';
import type { SessionDetails } from '../../store/store.ts';
import type { Services } from '../define.ts';

/** The launcher token of a channel session; it can be made again, and lasts as long as the session. */
export function issueToken(
  { session, player }: SessionDetails,
  { tokens, links }: Pick<Services, 'tokens' | 'links'>,
): Promise<string> {
  return tokens.issue({
    sessionId: session.id,
    userId: player.userId,
    gameId: session.gameId,
    address: player.wallet,
    username: shownName(player),
    avatar: links.avatar(player),
    issuedAt: session.openedAt,
    expiresAt: session.expiresAt,
  });
}
