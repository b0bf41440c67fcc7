import { jsonPost } from './json-post.ts';
import type { HttpRequest } from './loads/jobs.ts';
import type { WorldPlayer } from './world.ts';

/** The scores a player sets in turn: some better than the best so far, most not. */
export const scoresInTurn = [512, 4096, 128, 2048, 8192, 64, 1024, 256];

/** `POST /launcher/set-user-score` for each of them, without a nonce: every call creates a record. */
export function scoreWrites({ launcherJwt }: Pick<WorldPlayer, 'launcherJwt'>, path: string): HttpRequest[] {
  return scoresInTurn.map((score) => jsonPost(path, { launcherJwt, score }));
}
