import { expect, test } from 'vitest';
import { Child } from '../bench/child.ts';
import { done } from '../bench/loads/jobs.ts';
import { collectGarbage, heapInUse } from '../support/heap-in-use.ts';
import { startTestServer } from '../support/server.ts';

const socketLoad = new URL('../bench/loads/socket-load.ts', import.meta.url);
const counts = { first: 100, more: 300 };
/** 16.2 KB were measured, and 23.4 KB when each socket had closures of its own as listeners. */
const mostBytes = 19_000;

test('an idle socket of a launcher takes little more of the heap than Socket.IO does', async () => {
  await using server = await startTestServer({ CONNECTIONS_PER_ADDRESS: '10000', RATE_LIMIT_FACTOR: '1000' });
  const { gameId } = await server.createGame();
  const tokens = await Promise.all(
    Array.from({ length: counts.first + counts.more }, async () => {
      const { launcherJwt } = await server.openSession(gameId);
      return launcherJwt;
    }),
  );
  await using first = new Child(socketLoad);
  await using more = new Child(socketLoad);
  const connect = (child: Child, some: string[]) =>
    child.ask({ kind: 'connect', url: server.url, tokens: some }, done);
  await connect(first, tokens.slice(0, counts.first)); // loads and compiles what sockets need
  await collectGarbage();
  const before = heapInUse();
  await connect(more, tokens.slice(counts.first));
  await collectGarbage();
  const bytes = (heapInUse() - before) / counts.more;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(mostBytes);
});
