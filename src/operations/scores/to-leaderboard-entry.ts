import { shownName } from '../../domain/player.ts';
import type { LeaderboardEntry, RankedScore } from '../../domain/score.ts';
import type { Links } from '../../links.ts';

/** A leaderboard row as it is shown: with a name and a picture, whether the player chose them or not. */
export function toLeaderboardEntry(row: RankedScore, links: Links): LeaderboardEntry {
  const player = { wallet: row.normalizedAddress, username: row.username, avatar: row.avatar };
  return { ...row, username: shownName(player), avatar: links.avatar(player) };
}
