import { afterAll, describe, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, missing, requiredString } from '../support/field-faults.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { rowsIn } from '../support/rows-in.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const ada = await server.openSession(gameId);

const done = succeeded({});
const path = '/launcher/send-notification';

function kept(wallet: string): Promise<readonly unknown[]> {
  const text = 'SELECT message, type FROM notifications WHERE wallet = @wallet ORDER BY created_at, id';
  return rowsIn(server.services.db, text, { wallet });
}

describe.each([
  ['its dedicated path', (body: object) => api.post(path, body)],
  ['POST /launcher', (body: object) => api.dispatch('sendNotification', body)],
])('send-notification by %s', (_way, send) => {
  it.each(['success', 'error'])(
    'stores a notification of type %s and pushes it to the launcher',
    async (type) => {
      const { launcherJwt, wallet } = await server.openSession(gameId);
      using launcher = await connectLauncher(server.url, { launcherJwt });
      accepted(await send({ launcherJwt, message: 'You levelled up', type }), done);
      expect(await kept(wallet)).toEqual([{ message: 'You levelled up', type }]);
      const { record } = await launcher.waitForEvent('notifications created');
      expect(record).toMatchObject({ message: 'You levelled up', type, normalizedAddress: wallet, gameId });
    },
  );
});

describe('the message of a notification', () => {
  it.each([
    ['1 character', 'a'],
    ['1,000 characters', 'a'.repeat(1000)],
    ['1,000 characters outside the basic plane', '🎲'.repeat(1000)],
    ['line breaks, quotes and a null character', 'a\n"b"\\\u0000<script>'],
  ])('may be %s', async (_what, message) => {
    const { launcherJwt, wallet } = await server.openSession(gameId);
    accepted(await api.post(path, { launcherJwt, message, type: 'success' }), done);
    expect(await kept(wallet)).toEqual([{ message, type: 'success' }]);
  });
});

itRefuses(api, path, () => ({ launcherJwt: ada.launcherJwt, message: 'hello', type: 'success' }), [
  ...requiredString('message'),
  ...faults('message', ['', 'a'.repeat(1001), '🎲'.repeat(1001)], 'input_invalid'),
  ...faults('type', [missing, null, '', 'info', 'Success', 1, ['success'], '__proto__'], 'input_invalid'),
]);

it('stores nothing of a refused notification', async () => {
  expect(await kept(ada.wallet)).toEqual([]);
});
