// Everything this game asks of Gantry. What the page shows of it is in page.js.
import { game, url } from './config.js';
import { connect } from './gantry/client.js';

/** @typedef {{ best: number, rounds: number }} Progress What is saved: the same on every device of the player. */

/**
 * The launcher's player when a launcher has opened the page; otherwise a guest, the same one at every visit. While the
 * server cannot be reached, this is tried again for a day: the game can be played meanwhile.
 */
export const connecting = connect({ url, game, signInTimeoutMs: 86_400_000 });

/** Resolves when the progress was loaded. */
export const loading = load();

async function load() {
  const client = await connecting;
  // Queued, so that it is read after the rounds that were finished offline have been sent.
  const { states } = await client.queue('getStates', { label: 'progress' });
  return /** @type {Progress} */ (states[0]?.state ?? { best: 0, rounds: 0 });
}

/**
 * Saves a finished round: resolves with the new progress at once, and its `sent` when the server has it. Queued calls are
 * kept until then, also when the network is away or the page is closed, and are executed once. The leaderboard shows each
 * player's best score.
 * @param {number} score
 */
export async function saveRound(score) {
  const client = await connecting;
  const progress = await loading;
  progress.best = Math.max(progress.best, score);
  progress.rounds += 1;
  const sent = Promise.all([
    client.queue('setUserScore', { score }),
    client.queue('setState', { label: 'progress', state: { ...progress } }), // as it is now
  ]);
  return { progress, sent };
}
