import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../src/sdk/client/client.ts';
import { apiOf } from '../support/api.ts';
import { readJwt } from '../support/jwt-parts.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());
const directory = opened.use(await temporaryDirectory());
const variables = { DATA_DIR: directory.path, SESSION_DAYS: String(3 / 86_400) };
const near = opened.use(await startTestServer(variables));
const far = opened.use(await startTestServer(variables));
const { gameId } = await near.createGame();

const token = z.looseObject({ launcherJwt: z.string() });
const post = async (path: string, body: object) => apiOf(near).post(`/launcher/${path}`, body);

describe('a socket whose session is renewed', () => {
  test.concurrent('stays connected and can be used beyond the end of its token, on this node and another', async () => {
    const { launcherJwt } = accepted(await post('create-guest', { gameId }), token);
    using here = await connectLauncher(near.url, { launcherJwt });
    using there = await connectLauncher(far.url, { launcherJwt });
    let latest = launcherJwt;
    await until("the end of the sockets' token", async () => {
      latest = accepted(await post('renew-channel-session', { launcherJwt: latest }), token).launcherJwt;
      return Date.now() > Number(readJwt(launcherJwt).payload.exp) * 1000 + 100;
    });
    refused(await post('channel-status', { launcherJwt }), 401, 'token_expired');
    for (const launcher of [here, there]) {
      expect(await launcher.call('setUserScore', { score: 7 })).toMatchObject({ success: true });
      expect(launcher.received.filter(isEnd)).toEqual([]);
    }
    const cut = [here, there].map(({ socket }) => until('the cut', () => !socket.connected));
    await post('end-channel-session', { launcherJwt: latest });
    for (const launcher of [here, there]) await until('the end', () => launcher.received.find(isEnd));
    await Promise.all(cut);
    expect(here.received.find(isEnd)?.record.endReason).toBe('ended');
  });

  test.concurrent('by an SDK in its last tenth is renewed in time, however short it is', async () => {
    // The end of the token is in whole seconds.
    await until('a moment between two seconds', () => Date.now() % 1000 > 500);
    const client = await connect({ url: near.url, game: gameId });
    const statuses: string[] = [];
    client.onStatus(({ state }) => statuses.push(state));
    const end = Date.now() + 3_500;
    await until('the end of its first token', () => Date.now() > end);
    expect(await client.call('setUserScore', { score: 7 })).toMatchObject({ success: true });
    expect(statuses).toEqual([]);
    client.close();
  });
});

function isEnd({ name, record }: TestLauncher['received'][number]): boolean {
  return name === 'game-channels patched' && record.exists === false;
}
