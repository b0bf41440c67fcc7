import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { gantry, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantryJson } from '../support/warm-gantry.ts';

const posters = 16;
/** Answered before the backup begins. */
const answeredFirst = 500;
const filledMegabytes = 40;

interface Written {
  nonces: string[];
  stop(): Promise<void>;
}

/** Sets scores as fast as they are answered; `nonces` are those that were. */
function writing(url: string, launcherJwt: string): Written {
  const nonces: string[] = [];
  let next = 0;
  let isOver = false;
  const postOn = async () => {
    while (!isOver) {
      const nonce = `n-${next++}`;
      const { status } = await post(`${url}/launcher/set-user-score`, { launcherJwt, score: next, nonce });
      if (status !== 200) throw new Error(`a write was answered with ${status}`);
      nonces.push(nonce);
    }
  };
  const all = Promise.all(Array.from({ length: posters }, postOn));
  return {
    nonces,
    async stop() {
      isOver = true;
      await all;
    },
  };
}

test('a backup taken under load contains every write answered before it began, and restores completely', async () => {
  await using directory = await temporaryDirectory();
  const [data, restored, file] = ['data', 'restored', 'now.gantry'].map((name) => join(directory.path, name));
  if (!data || !restored || !file) throw new Error('three paths');
  const env = { GANTRY_DEMO: 'off', RATE_LIMIT_FACTOR: '100000' };
  const { gameId } = z
    .object({ gameId: z.string() })
    .parse(await gantryJson(['game', 'create', '--name', 'Race'], data));
  await using server = await serveGantry(data, env);
  const wallet = randomWallet();
  const token = await gantryJson(['token', '--game', gameId, '--wallet', wallet], data);
  const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(token);
  for (let label = 0; label < filledMegabytes; label++) {
    const state = JSON.stringify(randomBytes(500_000).toString('hex'));
    const { status } = await post(`${server.url}/launcher/set-state`, {
      launcherJwt,
      label: `${label}`,
      state,
    });
    expect(status).toBe(200);
  }

  const loadBegan = performance.now();
  const load = writing(server.url, launcherJwt);
  await until('the load runs', () => load.nonces.length > answeredFirst);
  const began = performance.now();
  const rateBefore = (load.nonces.length / (began - loadBegan)) * 1000;
  const answeredBefore = load.nonces.slice();
  const { code, stdout, stderr } = await gantry(['backup', file, '--json'], { env: { DATA_DIR: data } });
  const seconds = (performance.now() - began) / 1000;
  const during = load.nonces.length - answeredBefore.length;
  const lastCursors = await cursorsOf(server.url, launcherJwt);
  await load.stop();
  expect([code, stderr]).toEqual([0, '']); // progress is for terminals
  expect(JSON.parse(stdout)).toMatchObject({
    file,
    keys: ['token-keys.json', 'secret.key', 'admin-token.sha256'],
  });
  // More than were in flight already: the writes continued while the file was copied.
  expect(during).toBeGreaterThan(posters);
  const rates = { before: Math.round(rateBefore), during: Math.round(during / seconds) };
  process.stdout.write(`writes a second before and while a backup was made: ${JSON.stringify(rates)}\n`);

  await gantryJson(['restore', file], restored);
  const db = new SqliteDatabase(dataFiles(restored).database, { readonly: true });
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  const held = new Set(db.prepare<[], string>('SELECT nonce FROM scores').pluck().all());
  db.close();
  expect(answeredBefore.filter((nonce) => !held.has(nonce))).toEqual([]);
  expect(held.size).toBeLessThan(load.nonces.length); // it was taken in the middle

  await using again = await serveGantry(restored, env);
  const { body } = await post(`${again.url}/launcher/get-states`, { launcherJwt, limit: 1 });
  expect(body).toMatchObject({ success: true }); // the token is signed with the same keys
  using launcher = await connectLauncher(again.url, { launcherJwt, cursors: lastCursors });
  const positions = Object.values(await launcher.streams());
  expect(positions.map(({ recovered }) => recovered)).toEqual([false, false]);
  const [was] = Object.values(lastCursors);
  expect(positions[0]?.epoch).not.toBe(was?.epoch);
});

/** The positions of the player's streams, as a launcher stores them. */
async function cursorsOf(url: string, launcherJwt: string) {
  using visit = await connectLauncher(url, { launcherJwt });
  const streams = Object.entries(await visit.streams());
  return Object.fromEntries(streams.map(([stream, { epoch, seq }]) => [stream, { epoch, seq }]));
}
