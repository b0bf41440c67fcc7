import { expect, test } from 'vitest';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

test.skipIf(redisMissing !== null)(
  'a node receives events only while launchers are connected to it; the first one misses nothing',
  async () => {
    await using redis = await startRedis();
    await using directory = await temporaryDirectory();
    const settings = { DATA_DIR: directory.path, REDIS_URL: redis.url };
    await using writing = await startTestServer(settings);
    await using other = await startTestServer(settings);
    const { gameId } = await writing.createGame();
    const { launcherJwt } = await writing.openSession(gameId);
    let score = 0;
    const writeUntil = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        score++;
        await post(`${writing.url}/launcher/set-user-score`, { launcherJwt, score, nonce: `${score}` });
      }
    };
    const listening = async () => (await redis.command('PUBSUB', 'CHANNELS', '*:events')).trim();

    expect(await listening()).toBe('');
    const stop = new AbortController();
    const writes = writeUntil(stop.signal);
    using launcher = await connectLauncher(other.url, { launcherJwt });
    expect(await listening()).not.toBe('');
    const [stream, { seq: after }] =
      Object.entries(await launcher.streams()).find(([name]) => name.startsWith('player:')) ?? fail();
    const received = () => launcher.received.filter(({ meta }) => meta.stream === stream);
    await until('events of the other node', () => received().length >= 20);
    stop.abort();
    await writes;
    await until('the last one', () => received().some(({ record }) => record.score === score));
    const seqs = received().map(({ meta }) => meta.seq);
    expect(seqs).toEqual(seqs.map((_, at) => after + 1 + at));
    launcher.socket.disconnect();
    await until('no node listens for the player', async () => (await listening()) === '', 15_000);
  },
);

function fail(): never {
  throw new Error('no stream of the player');
}
