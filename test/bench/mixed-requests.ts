import { jsonPost } from './json-post.ts';
import { leaderboardRead } from './leaderboard-read.ts';
import type { HttpRequest } from './loads/jobs.ts';
import { stateOfBytes } from './state-of-bytes.ts';
import type { WorldPlayer } from './world.ts';

/** Four scores, a state, two heartbeats, a custom activity and two reads of what was written. */
export function mixedRequests({ launcherJwt, gameId }: WorldPlayer): HttpRequest[] {
  const post = (path: string, input: object = {}) => jsonPost(`/${path}`, { launcherJwt, ...input });
  const scores = [310, 620, 155, 1240].map((score) => post('launcher/set-user-score', { score }));
  return [
    ...scores,
    post('launcher/set-state', { label: 'save', state: stateOfBytes(1024) }),
    post('launcher/channel-heartbeat'),
    post('launcher/get-user-scores'),
    post('launcher/channel-heartbeat'),
    post('launcher/send-custom-activity', { label: '{username} found a key', eventId: 'key' }),
    leaderboardRead(gameId),
  ];
}
