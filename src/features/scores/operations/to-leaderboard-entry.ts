import type { PublicUrls } from '../../../core/public-urls.ts';
import { displayName } from '../../players/player.ts';
import type { LeaderboardEntry, RankedScore } from '../score.ts';

/** A leaderboard row as displayed: a default name and avatar stand in for what the player never chose. */
export function toLeaderboardEntry(row: RankedScore, publicUrls: PublicUrls): LeaderboardEntry {
  const player = { wallet: row.normalizedAddress, username: row.username, avatar: row.avatar };
  return { ...row, username: displayName(player), avatar: publicUrls.avatar(player) };
}
