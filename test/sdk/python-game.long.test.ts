import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documents } from '../docs/documents.ts';
import { repository } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { pythonDriver } from './drivers.ts';

const { missing } = pythonDriver;

test('the first Python game keeps its player over restarts, ended sessions and a server that is away', async ({
  skip,
}) => {
  skip(missing !== null, missing ?? '');
  await using folder = await temporaryDirectory();
  const start = (port: string) =>
    startTestServer({
      DATA_DIR: join(folder.path, 'data'),
      PORT: port,
      SESSION_DAYS: String(2 / 86_400), // 2 s
      SESSION_RENEWAL_DAYS: String(2 / 86_400), // cannot be renewed
    });
  let server = await start('0');
  const { gameSecret } = await server.createGame({ slug: 'python-game' });
  const { port } = new URL(server.url);
  const file = join(folder.path, 'player.json');
  const saved = async () => JSON.parse(await readFile(file, 'utf8'));

  const [, program = ''] =
    /^```python first-game\.py\n(.*?)^```$/ms.exec(documents.get('public/docs/first-python-game.md') ?? '') ??
    [];
  await writeFile(join(folder.path, 'first_game.py'), program.replace('http://127.0.0.1:3000', server.url));

  async function play() {
    const { command } = await pythonDriver.prepare('');
    const child = spawn(command, ['-B', 'first_game.py'], {
      cwd: folder.path,
      env: { ...process.env, PYTHONPATH: join(repository, 'public/sdk/python') },
    });
    const gone = once(child, 'close');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
    const prints = (text: RegExp) =>
      until(String(text), () => text.test(output)).catch(() => expect(output).toMatch(text));
    await prints(/^board:/m);
    await until('the stored player', async () => (await saved()).wallet !== undefined);
    const { wallet } = await saved();
    expect(output).toMatch(/^player: Ada$/m);
    return {
      prints,
      score: (points: number) => child.stdin.write(`${points}\n`),
      wallet,
      async end() {
        child.stdin.end();
        await gone;
        return output;
      },
    };
  }

  async function notify(wallet: string, message: string) {
    const response = await fetch(`${server.url}/launcher/notify-players`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${gameSecret}` },
      body: JSON.stringify({ wallets: [wallet], message, type: 'success' }),
    });
    expect(response.status).toBe(200);
  }

  try {
    const first = await play();
    const { wallet } = first;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { session } = await saved();
    first.score(100);
    await first.prints(/^board: \[100\]$/m);

    // The session ends while the game runs: the next one is the same player's, and nothing is missed.
    await first.prints(/^status: connecting\nstatus: live$/m);
    await until('another session', async () => (await saved()).session.launcherJwt !== session.launcherJwt);
    await notify(wallet, 'You are awake');
    await first.prints(/^notification: You are awake$/m);

    // The server is away, and back.
    await server.close();
    first.score(300);
    server = await start(port);
    await first.prints(/^board: \[300\]$/m);
    await first.end();

    // The next day: the session has ended, and something has happened.
    const { expiresAt } = (await saved()).session;
    await until('the end of the session', () => Date.now() > expiresAt);
    await notify(wallet, 'Good morning');
    const second = await play();
    await second.prints(/^notification: Good morning$/m);
    expect(second.wallet).toBe(wallet);
    expect(await second.end()).not.toContain('awake');
  } finally {
    await server.close();
  }
});
