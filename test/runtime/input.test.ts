import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { expect, test } from 'vitest';
import { governInput } from '../../src/runtime/internals/engine-input.ts';
import { watchParser } from '../../src/runtime/internals/http-parser.ts';
import { exchange } from '../support/raw-http.ts';
import { frame, opcodes, openRawWebSocket, text } from '../support/raw-websocket.ts';
import { until } from '../support/until.ts';

/** A Socket.IO server that accepts this many packets of a client, and parses so many of them per turn. */
async function listen({ accepted, perTurn }: { accepted: number; perTurn: number }) {
  const http = createServer();
  const io = new Server(http);
  let packets = 0;
  let turn = 0;
  let inTurn = 0;
  /** The packets parsed in each turn. */
  const turns: number[] = [];
  let isOpen = true;
  const next = () => {
    turn++;
    inTurn = 0;
    if (isOpen) setImmediate(next);
  };
  setImmediate(next);
  governInput(io, () => ({
    packetsPerSecond: accepted,
    accepts: (count) => {
      packets += count;
      return packets <= accepted;
    },
    mayContinue: () => inTurn + 1 < perTurn,
    holds: () => true,
  }));
  const parsed: unknown[] = [];
  io.engine.on('connection', (conn: { on(event: 'packet', listener: (packet: object) => void): void }) =>
    conn.on('packet', (packet) => {
      parsed.push(packet);
      inTurn++;
      turns[turn] = inTurn;
    }),
  );
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    io,
    url,
    parsed,
    mostPerTurn: () => Math.max(...turns.filter((count) => count !== undefined)),
    async [Symbol.asyncDispose]() {
      isOpen = false;
      await io.close();
    },
  };
}

const pongs = (count: number) => Buffer.concat(Array.from({ length: count }, () => text('3')));

test('of what arrives on a WebSocket at once, no more is parsed than is accepted', async () => {
  await using server = await listen({ accepted: 50, perTurn: 1_000 });
  using socket = await openRawWebSocket(server);
  socket.send(pongs(5_000));
  await until('closed', () => socket.isClosed());
  expect(server.parsed.length).toBeLessThanOrEqual(51);
});

test('what arrives on a WebSocket at once is parsed in order, a few packets per turn', async () => {
  await using server = await listen({ accepted: 10_000, perTurn: 10 });
  using socket = await openRawWebSocket(server);
  socket.send(Buffer.concat(Array.from({ length: 500 }, (_, at) => text(`3${at}`))));
  await until('parsed', () => server.parsed.length === 500);
  expect(server.parsed).toMatchObject(Array.from({ length: 500 }, (_, at) => ({ data: `${at}` })));
  expect(server.mostPerTurn()).toBeLessThanOrEqual(10);
});

test('a WebSocket retains nothing of a message that has been read, and no listener of its handshake', async () => {
  await using server = await listen({ accepted: 10, perTurn: 10 });
  using socket = await openRawWebSocket(server);
  socket.send(text('3a'));
  await until('parsed', () => server.parsed.length === 1);
  const [webSocket] = Object.values<{ transport: object }>(Reflect.get(server.io.engine, 'clients')).map(
    ({ transport }) => Reflect.get(transport, 'socket'),
  );
  expect(webSocket._receiver).toMatchObject({ _mask: undefined, _buffers: [], _fragments: [] });
  expect(webSocket.listenerCount('error')).toBe(1);
  socket.send(text('3b'));
  await until('the next is parsed', () => server.parsed.length === 2);
  expect(server.parsed).toMatchObject([{ data: 'a' }, { data: 'b' }]);
});

test('pings of the WebSocket protocol and probes of an upgrade are packets, too', async () => {
  await using server = await listen({ accepted: 50, perTurn: 10 });
  using socket = await openRawWebSocket(server);
  socket.send(Buffer.concat(Array.from({ length: 100 }, () => frame(opcodes.ping))));
  await until('closed', () => socket.isClosed());

  await using other = await listen({ accepted: 50, perTurn: 10 });
  const opened = await (await fetch(`${other.url}/socket.io/?EIO=4&transport=polling`)).text();
  const { sid } = JSON.parse(opened.slice(1));
  using probing = await openRawWebSocket(other, undefined, `&sid=${sid}`);
  probing.send(Buffer.concat(Array.from({ length: 100 }, () => text('2probe'))));
  await until('closed', () => probing.isClosed());
  expect(probing.texts.length).toBeLessThanOrEqual(51);
});

test('a POST of long polling is parsed in order, a few packets per turn, and not at all with too many', async () => {
  await using server = await listen({ accepted: 1_000, perTurn: 10 });
  const polling = `${server.url}/socket.io/?EIO=4&transport=polling`;
  const opened = await (await fetch(polling)).text();
  const post = (body: string) =>
    fetch(`${polling}&sid=${JSON.parse(opened.slice(1)).sid}`, { method: 'POST', body });
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `3${from + at}`).join('\x1e');
  expect((await post(numbered(0, 300))).status).toBe(200);
  expect((await post(numbered(300, 400))).status).toBe(200);
  await until('parsed', () => server.parsed.length === 400);
  expect(server.parsed).toMatchObject(Array.from({ length: 400 }, (_, at) => ({ data: `${at}` })));
  expect(server.mostPerTurn()).toBeLessThanOrEqual(10);
  await post(numbered(400, 2_000)).catch(() => undefined);
  expect((await post('3')).status).toBe(400); // no such session any more
  expect(server.parsed).toHaveLength(400);
});

test('the parser of an HTTP connection stops when told to', async () => {
  const http = createServer((_request, response) => response.end());
  let requests = 0;
  http.on('connection', (socket) => watchParser(socket, () => ++requests === 3));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const { statuses } = await exchange({ url }, [request.repeat(100)], { answers: 3 });
  expect(statuses).toEqual([200, 200, 200]);
  expect(requests).toBe(3);
  http.closeAllConnections();
  http.close();
});
