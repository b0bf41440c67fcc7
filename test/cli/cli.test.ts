import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

// Each test starts several processes, in parallel with other tests.
const wallet = `0x${'ab'.repeat(20)}`;
const createdGame = z.strictObject({ gameId: z.string().min(1), gameSecret: z.string().min(32) });
const openedSession = z.strictObject({ launcherJwt: z.string().min(1), sessionId: z.string().min(1) });
const listedGame = z.object({
  gameId: z.string(),
  slug: z.string(),
  name: z.string(),
  kind: z.enum(['game', 'launcher']),
  createdAt: z.int(),
});

describe.concurrent('help', () => {
  test.each([
    'serve',
    'game create',
    'game list',
    'game rotate-secret',
    'token',
    'rules get',
    'rules set',
    'webhooks create',
  ])('gantry %s prints its description, with an example', async (command) => {
    const { code, stdout, stderr } = await gantry([...command.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: gantry ${command}`);
    expect(stdout).toMatch(new RegExp(`Example:\\n.*gantry ${command}`));
  });

  test('of gantry itself lists every command', async () => {
    const { code, stdout } = await gantry(['--help']);
    expect(code).toBe(0);
    for (const command of ['serve', 'game', 'token', 'rules', 'webhooks'])
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  });
});

describe.concurrent('on a separate data directory', () => {
  test('game create prints the id and the secret, and game list shows the game as created', async () => {
    await using directory = await temporaryDirectory();
    const { gameId } = createdGame.parse(
      await gantryJson(['game', 'create', '--name', 'Space Race'], directory.path),
    );
    const given = ['--name', 'Golf', '--slug', 'mini-golf', '--url', 'https://golf.example/play'];
    const origins = ['--origin', 'https://golf.example', '--origin', 'http://localhost:5173'];
    const golf = createdGame.parse(
      await gantryJson(['game', 'create', ...given, ...origins], directory.path),
    );
    const launcher = createdGame.parse(
      await gantryJson(['game', 'create', '--name', 'Dock', '--kind', 'launcher'], directory.path),
    );

    const games = z.array(listedGame.loose()).parse(await gantryJson(['game', 'list'], directory.path));
    expect(games).toMatchObject([
      { gameId, slug: 'space-race', name: 'Space Race', kind: 'game' },
      {
        gameId: golf.gameId,
        slug: 'mini-golf',
        url: 'https://golf.example/play',
        allowedOrigins: ['https://golf.example', 'http://localhost:5173'],
      },
      { gameId: launcher.gameId, kind: 'launcher' },
    ]);
    expect(JSON.stringify(games)).not.toContain(golf.gameSecret);
  });

  test('game rotate-secret prints a new secret for the same game', async () => {
    await using directory = await temporaryDirectory();
    const before = createdGame.parse(await gantryJson(['game', 'create', '--name', 'One'], directory.path));
    const after = createdGame.parse(
      await gantryJson(['game', 'rotate-secret', '--game', before.gameId], directory.path),
    );
    expect(after.gameId).toBe(before.gameId);
    expect(after.gameSecret).not.toBe(before.gameSecret);
  });

  test('token prints a token that names the player, the game and the session', async () => {
    await using directory = await temporaryDirectory();
    const { gameId } = createdGame.parse(
      await gantryJson(['game', 'create', '--name', 'One'], directory.path),
    );
    const mixedCase = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'; // EIP-55's own example
    const { launcherJwt, sessionId } = openedSession.parse(
      await gantryJson(
        ['token', '--game', gameId, '--wallet', mixedCase, '--username', 'Ada'],
        directory.path,
      ),
    );
    expect(claimsOf(launcherJwt)).toMatchObject({
      jti: sessionId,
      gameId,
      address: mixedCase.toLowerCase(),
      username: 'Ada',
    });
  });

  test.each(['1', '365', '0.0138888889'])('a session may last SESSION_DAYS=%s', async (days) => {
    await using directory = await temporaryDirectory();
    const { gameId } = createdGame.parse(
      await gantryJson(['game', 'create', '--name', 'One'], directory.path),
    );
    const env = { DATA_DIR: directory.path, SESSION_DAYS: days };
    const { code, stderr, stdout } = await gantry(['token', '--game', gameId, '--wallet', wallet, '--json'], {
      env,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { iat, exp } = claimsOf(openedSession.parse(JSON.parse(stdout)).launcherJwt);
    expect(Math.abs(exp - iat - Number(days) * 24 * 60 * 60)).toBeLessThanOrEqual(1);
  });

  test('rules get prints what rules set reads', async () => {
    await using directory = await temporaryDirectory();
    const env = { DATA_DIR: directory.path };
    const { gameId } = createdGame.parse(
      await gantryJson(['game', 'create', '--name', 'One'], directory.path),
    );
    const rules = [
      { trigger: 'win', actions: [{ type: 'Notify', message: 'Won!', notificationType: 'success' }] },
    ];
    const file = join(directory.path, 'rules.json');
    writeFileSync(file, JSON.stringify(rules));

    expect(await gantryJson(['rules', 'get', '--game', gameId], directory.path)).toEqual({
      version: 0,
      rules: [],
    });
    const set = await gantryJson(['rules', 'set', file, '--game', gameId], directory.path);
    expect(set).toEqual({ gameId, version: 1, rules: 1 });
    const { code, stdout } = await gantry(['rules', 'get', '--game', gameId], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(rules);
    writeFileSync(file, stdout);
    expect(await gantryJson(['rules', 'set', file, '--game', gameId], directory.path)).toMatchObject({
      version: 2,
    });
    expect(await gantryJson(['rules', 'get', '--game', gameId], directory.path)).toEqual({
      version: 2,
      rules,
    });
  });

  test('without --json, results are printed as a table', async () => {
    await using directory = await temporaryDirectory();
    const env = { DATA_DIR: directory.path };
    const { stdout: created } = await gantry(['game', 'create', '--name', 'Space Race'], { env });
    expect(created).toMatch(/^gameId +\S+\ngameSecret +\S+\n$/);
    expect((await gantry(['leaderboard', 'list', '--game', 'space-race'], { env })).stdout).toBe('none\n');
    const { stdout: listed } = await gantry(['game', 'list'], { env });
    expect(listed).toMatch(
      /^gameId +slug +name +kind +listing +created\n\S+ +space-race +Space Race +game +listed +\S+\n$/,
    );
    expect((await gantry(['player', 'list'], { env })).stdout).toBe('none\n');
  });
});

function claimsOf(jwt: string) {
  const [, payload = ''] = jwt.split('.');
  const claims = z.looseObject({ iat: z.int(), exp: z.int() });
  return claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}
