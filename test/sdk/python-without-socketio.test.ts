import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';

const program = `
import sys
sys.path.insert(0, sys.argv[1])
import gantry
try:
    gantry.connect(sys.argv[2], game="bots")
except ImportError as error:
    print(error)
client = gantry.GantryClient(sys.argv[2], game_secret=sys.argv[3], connect=False)
print(client.get_game_scores_leaderboard(game_id="bots"))
`;

test('in Python without python-socketio, connect says what to install before it creates a guest, and HTTP works', async ({
  skip,
}) => {
  skip(spawnSync('python3', ['--version']).status !== 0, 'no python3 here: apt-get install python3');
  await using server = await startTestServer();
  const { gameSecret } = await server.createGame({ slug: 'bots' });
  const sdk = join(repository, 'public/sdk/python');

  // -S: without the directories of installed packages.
  const args = ['-S', '-B', '-c', program, sdk, server.url, gameSecret];
  const { stdout } = await promisify(execFile)('python3', args);

  const [message, leaderboard] = stdout.split('\n');
  expect(message).toContain('pip install "python-socketio[client]"');
  expect(leaderboard).toContain("'leaderboard': []");
  const headers = { Authorization: `Bearer ${server.adminToken}` };
  const { body } = await post(`${server.url}/admin/list-players`, {}, headers);
  expect(body).toMatchObject({ total: 0 });
});
