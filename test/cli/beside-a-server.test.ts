import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GantryProcess, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { randomWallet } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { gantryJson } from '../support/warm-gantry.ts';

// Each test starts several processes, in parallel with other tests.
describe('on the data directory of a running server, the command line', () => {
  let directory: TemporaryDirectory;
  let server: GantryProcess;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    server = await serveGantry(directory.path, { GANTRY_DEMO: 'off' });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  const command = (...args: string[]) => gantryJson(args, directory.path);
  const createGame = async () =>
    (await command('game', 'create', '--name', 'Space Race')) as { gameId: string; gameSecret: string };
  const openToken = async (gameId: string, wallet = randomWallet(), ...rest: string[]) =>
    ((await command('token', '--game', gameId, '--wallet', wallet, ...rest)) as { launcherJwt: string })
      .launcherJwt;
  const setScore = (launcherJwt: string, secret?: string) =>
    post(
      `${server.url}/launcher/set-user-score`,
      { launcherJwt, score: 7 },
      secret === undefined ? {} : { Authorization: `Bearer ${secret}` },
    );

  test('lists what the server has, and opens tokens that work there immediately', async () => {
    const { gameId } = await createGame();
    expect(await command('game', 'list')).toEqual(
      expect.arrayContaining([expect.objectContaining({ gameId })]),
    );
    const answer = await setScore(await openToken(gameId));
    expect(answer).toMatchObject({ status: 200, body: { success: true, newScore: { gameId, score: 7 } } });
  });

  test('rotates a secret: without a grace period the old one fails there immediately, and the new one works', async () => {
    const { gameId, gameSecret } = await createGame();
    const launcherJwt = await openToken(gameId);
    expect((await setScore(launcherJwt, gameSecret)).status).toBe(200);
    expect((await setScore(launcherJwt, gameSecret)).status).toBe(200);

    const rotated = (await command('game', 'rotate-secret', '--game', gameId, '--grace', '0')) as {
      gameSecret: string;
    };
    expect(await setScore(launcherJwt, gameSecret)).toMatchObject({
      status: 401,
      body: { success: false, data: { reason: 'secret_invalid' } },
    });
    expect((await setScore(launcherJwt, rotated.gameSecret)).status).toBe(200);
  });

  test('rotates a secret: with a grace period both work there', async () => {
    const { gameId, gameSecret } = await createGame();
    const launcherJwt = await openToken(gameId);
    expect((await setScore(launcherJwt, gameSecret)).status).toBe(200);
    const rotated = (await command('game', 'rotate-secret', '--game', gameId)) as { gameSecret: string };
    expect((await setScore(launcherJwt, gameSecret)).status).toBe(200);
    expect((await setScore(launcherJwt, rotated.gameSecret)).status).toBe(200);
  });

  test('names a player the server already knows, and the next response has the name', async () => {
    const { gameId } = await createGame();
    const wallet = randomWallet();
    await setScore(await openToken(gameId, wallet));
    const leaderboard = async () =>
      (await post(`${server.url}/scores`, { gameId }, { 'X-Service-Method': 'getGameScoresLeaderboard' }))
        .body;
    expect(await leaderboard()).toMatchObject({
      leaderboard: [{ username: `${wallet.slice(0, 6)}…${wallet.slice(-4)}` }],
    });
    await openToken(gameId, wallet, '--username', 'Ada');
    expect(await leaderboard()).toMatchObject({ leaderboard: [{ username: 'Ada' }] });
  });

  test('sets rules that apply from the next trigger on', async () => {
    const { gameId } = await createGame();
    const launcherJwt = await openToken(gameId);
    const trigger = async () =>
      (await post(`${server.url}/launcher/trigger-rules-engine`, { launcherJwt, trigger: 'win' })).body;
    expect(await trigger()).toMatchObject({ success: true, actions: [] });
    const file = join(directory.path, 'rules.json');
    writeFileSync(file, JSON.stringify([{ trigger: 'win', actions: [{ type: 'Notify', message: 'Won!' }] }]));
    await command('rules', 'set', file, '--game', gameId);
    expect(await trigger()).toMatchObject({ success: true, actions: ['Notify'] });
  });
});
