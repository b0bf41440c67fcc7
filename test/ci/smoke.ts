import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { leaderboardEntry, scoreRecord } from '../../src/features/scores/score.ts';
import { until } from '../support/until.ts';

// The main job as a newcomer does it: `npm start`, the printed command pasted into a shell, calls with its token, and a clean stop. Run by
// .ci/run; ends with 1 and a reason when anything differs from README.md.

const startWithinMs = 30_000;
const stopWithinMs = 10_000;

const dataDirectory = await mkdtemp(join(tmpdir(), 'gantry-smoke-'));
const server = spawn('npm', ['start'], {
  cwd: new URL('../..', import.meta.url),
  // An empty variable counts as unset, so that the caller's settings do not reach the server.
  env: { ...process.env, HOST: '', PORT: '0', DATA_DIR: dataDirectory, PUBLIC_URL: '', GANTRY_DEMO: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true, // a separate process group, so that none of it is left behind
});
let printed = '';
server.stdout.setEncoding('utf8').on('data', (text: string) => {
  printed += text;
});

try {
  const token = await printedLine(/^ *(DATA_DIR=\S+ npm .*-- token --game .*)$/m);
  const gameId = await printedLine(/^ *Demo game +(\S+)/m);
  const url = await printedLine(/listening on (http:\/\/127\.0\.0\.1:\d+)$/m);
  const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(pasteIntoShell(`${token} --json`));

  const { newScore } = z
    .object({ success: z.literal(true), newScore: scoreRecord })
    .parse(await call('set-user-score', { launcherJwt, score: 1600 }));
  const { leaderboard } = z
    .object({ success: z.literal(true), leaderboard: z.array(leaderboardEntry) })
    .parse(await call('get-game-scores-leaderboard', { gameId }));
  const scores = leaderboard.map(({ score }) => score);
  deepStrictEqual(
    scores,
    [...scores].sort((a, b) => b - a),
    'the leaderboard is in order',
  );
  const entry = leaderboard.find(({ _id }) => _id === newScore._id);
  ok(entry, 'the leaderboard has the score that was set');
  strictEqual(entry.score, newScore.score);

  // npm ends immediately and its shell with it; the server notices, and stops as if signalled itself.
  server.kill('SIGTERM');
  await once(server, 'exit');
  await until('the server has ended behind npm start', async () => !(await answers(url)), stopWithinMs);
  process.stdout.write(`smoke: ${url} set and ranked a score of ${newScore.score}, and stopped cleanly\n`);
} finally {
  killProcessGroup();
  await rm(dataDirectory, { recursive: true, force: true });
}

/** What the first group of a pattern matches in the output, once available. */
function printedLine(pattern: RegExp): Promise<string> {
  return until(
    `npm start printing ${pattern}`,
    () => {
      strictEqual(server.exitCode, null, `npm start has ended; it printed:\n${printed}`);
      return pattern.exec(printed)?.[1];
    },
    startWithinMs,
  );
}

async function call(path: string, body: object): Promise<unknown> {
  const url = await printedLine(/listening on (\S+)$/m);
  const response = await fetch(`${url}/launcher/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

function pasteIntoShell(line: string): unknown {
  return JSON.parse(
    execFileSync('bash', ['-c', line], {
      cwd: new URL('../..', import.meta.url),
      encoding: 'utf8',
      timeout: 30_000,
    }),
  );
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`);
    return true;
  } catch {
    return false;
  }
}

function killProcessGroup(): void {
  if (server.pid === undefined) return;
  try {
    process.kill(-server.pid, 'SIGKILL');
  } catch {
    // The group is empty: everything has ended on its own, as expected.
  }
}
