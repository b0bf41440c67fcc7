import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { frame, opcodes, openRawWebSocket, type RawWebSocket, text } from '../support/raw-websocket.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

const MiB = 1024 * 1024;
const HELD_MEGABYTES = '16';
/** One more than fits. */
const clients = 17;

async function heldBytes({ url, adminToken }: TestServer): Promise<number> {
  const metrics = await fetch(`${url}/metrics`, { headers: bearer(adminToken) });
  return Number(/^gantry_held_bytes (\d+)$/m.exec(await metrics.text())?.[1]);
}

/** A player's connection. */
async function connect(server: TestServer): Promise<RawWebSocket> {
  const { launcherJwt } = await server.openSession((await server.createGame()).gameId);
  const client = await openRawWebSocket(server);
  client.send(text(`40${JSON.stringify({ launcherJwt })}`));
  await until('connected', () => client.texts.some((one) => one.startsWith('40')));
  return client;
}

/** All of the clients send something that is not complete, one after another: only as much is kept as may be. */
async function areLimited(server: TestServer, send: (client: RawWebSocket) => void): Promise<void> {
  const all: RawWebSocket[] = [];
  for (let at = 0; at < clients; at++) {
    const client = await openRawWebSocket(server);
    all.push(client);
    const before = await heldBytes(server);
    send(client);
    await until(
      'held, or cut',
      async () => client.isClosed() || (await heldBytes(server)) > before + 0.9 * MiB,
    );
  }
  expect(all.filter((client) => client.isClosed()).length).toBeGreaterThan(0);
  expect(all[0]?.isClosed()).toBe(false);
  for (const client of all) client.socket.destroy();
  await until('nothing is held', async () => (await heldBytes(server)) === 0);
}

test('messages whose end does not arrive on WebSockets count for the memory of all callers', async () => {
  await using server = await startTestServer({ HELD_MEGABYTES });
  const half = text('a'.repeat(MiB), { length: 2_000_000n });
  await areLimited(server, (client) => client.send(half));
});

test('so do fragments whose last one does not arrive, and attachments, whatever is sent between them', async () => {
  await using server = await startTestServer({ HELD_MEGABYTES });
  const fragment = text('a'.repeat(MiB), { fin: false });
  await areLimited(server, (client) => client.send(fragment));

  const attachment = frame(opcodes.binary, Buffer.alloc(MiB / 2));
  const pong = text('3');
  await areLimited(server, (client) => {
    client.send(text('454-["setState",{"_placeholder":true,"num":0}]'), attachment, pong, attachment, pong);
  });
});

test('attachments to one message are limited, whatever is sent between them', async () => {
  await using server = await startTestServer();
  using client = await openRawWebSocket(server);
  const attachment = frame(opcodes.binary, Buffer.alloc(MiB));
  client.send(text('4510-["setState",{"_placeholder":true,"num":0}]'));
  for (let part = 0; part < 3; part++) client.send(attachment, text('3'));
  await until('cut', () => client.isClosed(), 5_000);
});

test('a message that has arrived as a whole is not counted any more', async () => {
  await using server = await startTestServer({ HELD_MEGABYTES });
  using client = await connect(server);
  const call = JSON.stringify(['setState', 'launcher', { label: 'a', state: ['a'.repeat(900_000)] }, {}]);
  for (let id = 0; id < 40; id++) {
    client.send(text(`42${id}${call}`));
    await until('answered', () => client.texts.some((one) => one.startsWith(`43${id}[`)));
  }
  expect(client.texts.filter((one) => one.startsWith('43')).every((one) => one.includes('[null,'))).toBe(
    true,
  );
  expect(await heldBytes(server)).toBe(0);
});

test('bodies of long polling whose end does not arrive count for it, too', async () => {
  await using server = await startTestServer({ HELD_MEGABYTES });
  const polling = `${server.url}/socket.io/?EIO=4&transport=polling`;
  const half = Buffer.alloc(MiB, 'a');
  let refused: { code?: number | undefined; reason?: string } | null = null;
  const sent: ReturnType<typeof request>[] = [];
  for (let at = 0; at < clients && !refused; at++) {
    const { sid } = JSON.parse((await (await fetch(polling)).text()).slice(1));
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': 2_000_000 };
    const post = request(`${polling}&sid=${sid}`, { method: 'POST', headers });
    sent.push(post);
    post.on('error', () => undefined);
    post.on('response', async (response) => {
      const [bytes] = await once(response, 'data');
      refused = { code: response.statusCode, ...JSON.parse(String(bytes)).data };
    });
    const before = await heldBytes(server);
    post.write(half);
    await until('held, or refused', async () => refused || (await heldBytes(server)) > before + 0.9 * MiB);
  }
  expect(refused).toMatchObject({ code: 503, reason: 'server_busy' });
  for (const post of sent) post.destroy();
  await until('nothing is held', async () => (await heldBytes(server)) === 0);
});

test('large calls that wait for their turn count for it: they are refused, or the connection is cut', async () => {
  await using server = await startTestServer({ HELD_MEGABYTES });
  using client = await connect(server);
  // Takes much longer to parse than to receive.
  const state = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, at) => [`k${(at * 7919) % 100_000}`, at]),
  );
  const call = JSON.stringify(['setState', 'launcher', { label: 'a', state }, {}]);
  const answers = () => client.texts.filter((one) => one.startsWith('43'));
  const calls = Array.from({ length: 40 }, (_, id) => text(`42${id}${call}`));
  client.send(Buffer.concat(calls));
  await until('answered, or cut', () => client.isClosed() || answers().length === calls.length);
  expect(client.isClosed() || answers().some((one) => one.includes('"server_busy"'))).toBe(true);
  await until('nothing is held', async () => (await heldBytes(server)) === 0);
});
