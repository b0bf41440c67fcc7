import { shownName } from '../../players/player.ts';
import type { PublicUrls } from '../../public-urls.ts';
import type { LeaderboardEntry, RankedScore } from '../score.ts';

/** A leaderboard row as it is shown: with a name and a picture, whether the player chose them or not. */
export function toLeaderboardEntry(row: RankedScore, publicUrls: PublicUrls): LeaderboardEntry {
  const player = { wallet: row.normalizedAddress, username: row.username, avatar: row.avatar };
  return { ...row, username: shownName(player), avatar: publicUrls.avatar(player) };
}
