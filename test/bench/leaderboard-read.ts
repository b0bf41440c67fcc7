import { jsonPost } from './json-post.ts';
import type { HttpRequest } from './loads/jobs.ts';

/** `POST /scores` for the top of a game's board. */
export function leaderboardRead(gameId: string, limit = 50): HttpRequest {
  return jsonPost('/scores', { gameId, limit }, { 'x-service-method': 'getGameScoresLeaderboard' });
}
