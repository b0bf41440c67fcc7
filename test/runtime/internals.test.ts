import { once } from 'node:events';
import { createServer } from 'node:http';
import { Command } from 'commander';
import pg from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { describe, expect, test, vi } from 'vitest';
import { QueryGroup } from '../../src/engines/postgres/query-group.ts';
import { defaultCommandOf } from '../../src/runtime/internals/commander.ts';
import {
  aliasNamespace,
  bufferedPackets,
  bytesBuffered,
  callIn,
  type EmittedCall,
  type EngineConnection,
  encodeAcksWith,
  isPolled,
  type OutgoingPacket,
  openInOneWrite,
  parseEventArguments,
  releaseRequest,
  terminate,
  transportClosed,
  withhold,
} from '../../src/runtime/internals/engine-io.ts';
import {
  coalesceWrites,
  sendAck,
  sendEventNow,
  sendEvents,
} from '../../src/runtime/internals/engine-output.ts';
import { bindingsOf, streamOf } from '../../src/runtime/internals/pino.ts';
import { HistogramReadOnDemand } from '../../src/runtime/internals/prom-client.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

function queueOf(pending: OutgoingPacket[], onQueued: () => void = () => undefined) {
  return { pending, sends: 0, onQueued };
}

/** A Socket.IO server with one client, and engine.io's object for the client's connection. */
async function connect(transports: string[], onOpen: (conn: EngineConnection) => void = () => undefined) {
  const http = createServer();
  const server = new Server(http);
  const opened = new Promise<EngineConnection>((resolve) => {
    server.engine.on('connection', (conn: EngineConnection) => {
      onOpen(conn);
      resolve(conn);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const client = io(`http://127.0.0.1:${port}`, { transports, reconnection: false });
  const received: unknown[] = [];
  client.on('said', (what) => received.push(what));
  const conn = await opened;
  await until('connected', () => client.connected);
  const say = (what: unknown) => server.emit('said', what);
  return {
    conn,
    client,
    server,
    received,
    say,
    async [Symbol.asyncDispose]() {
      client.disconnect();
      await server.close();
    },
  };
}

describe('engine.io and ws', () => {
  test.each(['websocket', 'polling'])(
    'a client by %s is in the main namespace though it requested another one',
    async (transport) => {
      const http = createServer();
      const server = new Server(http);
      server.engine.on('connection', (conn: EngineConnection) => {
        conn.on('packet', (packet: object) => {
          aliasNamespace(conn, packet, { isAlias: (namespace) => namespace === '/alias' });
        });
      });
      server.on('connection', (socket) => {
        socket.on('ask', (what, answer) => answer(`${what}, in ${socket.nsp.name}`));
      });
      http.listen(0, '127.0.0.1');
      await once(http, 'listening');
      const address = http.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
      const options = { transports: [transport], reconnection: false, forceNew: true };
      const clients = [io(`${url}/alias`, options), io(url, options)];
      try {
        await until('both are connected', () => clients.every(({ connected }) => connected));
        const received: unknown[] = [];
        for (const client of clients) client.on('said', (what) => received.push(what));
        server.emit('said', 'to all'); // in one frame, encoded for every socket
        await until('both received', () => received.length === 2);
        expect(await clients[0]?.emitWithAck('ask', 'well')).toBe('well, in /');
        const bytes = Buffer.from([1, 2, 3]);
        server.emit('said', bytes);
        await until('both received bytes', () => received.length === 4);
        expect(received.slice(2)).toEqual([bytes, bytes]);
      } finally {
        for (const client of clients) client.disconnect();
        await server.close();
      }
    },
  );

  test.each(['websocket', 'polling'])(
    'events sent together by %s arrive as those that Socket.IO sends, whatever their length',
    async (transport) => {
      await using socket = await connect([transport]);
      const texts = [0, 100, 125, 126, 65_000, 65_536, 200_000].map((length) => 'é'.repeat(length));
      socket.say('before');
      sendEvents(
        socket.conn,
        texts.map((text) => JSON.stringify(['said', text])),
      );
      socket.say('after');
      await until('all arrived', () => socket.received.length === texts.length + 2);
      expect(socket.received).toEqual(['before', ...texts, 'after']);
    },
  );

  test('events sent together over a WebSocket are one packet, whose bytes are known while it is queued', async () => {
    const pending: OutgoingPacket[] = [];
    await using socket = await connect(['websocket'], (conn) => coalesceWrites(conn, queueOf(pending)));
    await until('the greeting is written', () => pending.length === 0);
    sendEvents(socket.conn, ['["said",1]', '["said",2]']);
    expect(pending.map(({ data }) => Buffer.isBuffer(data) && data.length)).toEqual([2 * (2 + 12)]);
    await until('both arrived', () => socket.received.length === 2);
    expect(socket.received).toEqual([1, 2]);
  });

  test('frames keep their place among packets, also behind what the client has not read, and engine.io keeps nothing', async () => {
    const pending: OutgoingPacket[] = [];
    await using socket = await connect(['websocket'], (conn) => coalesceWrites(conn, queueOf(pending)));
    await until('the greeting is written', () => pending.length === 0 && socket.conn.transport.writable);
    const large = 'x'.repeat(4_000_000); // more than the system takes at once
    const groups = 3;
    for (let group = 0; group < groups; group++) {
      sendEvents(socket.conn, ['["said",1]']);
      sendEvents(socket.conn, [`["said","${large}"]`]);
      await until('the frames are written', () => pending.length === 0);
      sendEvents(socket.conn, ['["said",2]']);
      socket.say(3);
      sendEvents(socket.conn, ['["said",4]']);
      await until('all arrived', () => socket.received.length === 5 * (group + 1));
      await until('all is sent', () => socket.conn.transport.writable && pending.length === 0);
    }
    expect(socket.received).toEqual(Array.from({ length: groups }, () => [1, large, 2, 3, 4]).flat());
    expect(Reflect.get(socket.conn, 'sentCallbackFn')).toEqual([]);
  });

  test.each(['websocket', 'polling'])(
    'an event sent at once by %s is not queued unless something is before it, and keeps its place',
    async (transport) => {
      const pending: OutgoingPacket[] = [];
      let queued = 0;
      await using socket = await connect([transport], (conn) =>
        coalesceWrites(
          conn,
          queueOf(pending, () => queued++),
        ),
      );
      await until('the greeting is written', () => pending.length === 0 && socket.conn.transport.writable);
      const queuedBefore = queued;
      sendEventNow(socket.conn, '["said",1]');
      expect([pending.length, queued]).toEqual([0, queuedBefore]);
      socket.say(2);
      sendEventNow(socket.conn, '["said",3]');
      if (transport === 'websocket') expect(pending).toHaveLength(2);
      socket.say(4);
      await until('all arrived', () => socket.received.length === 4);
      expect(socket.received).toEqual([1, 2, 3, 4]);
      socket.conn.close();
      sendEventNow(socket.conn, '["said",5]'); // harmless
    },
  );

  test('what a client does not read of events sent at once is counted, and announced as queued', async () => {
    let queued = 0;
    await using socket = await connect(['websocket'], (conn) =>
      coalesceWrites(
        conn,
        queueOf([], () => queued++),
      ),
    );
    await until('the greeting is written', () => socket.received.length === 0 && queued > 0);
    await new Promise((resolve) => setImmediate(resolve));
    const before = queued;
    const text = JSON.stringify(['said', 'x'.repeat(1_000_000)]);
    for (let n = 0; n < 20; n++) sendEventNow(socket.conn, text);
    expect(bytesBuffered(socket.conn)).toBeGreaterThan(1_000_000);
    expect(queued).toBeGreaterThan(before);
    await until('all arrived', () => socket.received.length === 20);
    expect(bytesBuffered(socket.conn)).toBe(0);
  });

  test('the response to an upgrade and the first packet are written together', async () => {
    const http = createServer();
    const server = new Server(http);
    openInOneWrite(server);
    const writes: string[] = [];
    http.prependListener('upgrade', (_request, socket) => {
      for (const name of ['cork', 'write', 'uncork'] as const) {
        const call = socket[name].bind(socket) as (...args: unknown[]) => unknown;
        const recorded = (...args: unknown[]) => {
          writes.push(name);
          return call(...args);
        };
        Object.assign(socket, { [name]: recorded });
      }
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const address = http.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const client = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`);
    try {
      await new Promise((resolve) => client.addEventListener('message', resolve));
      expect(writes[0]).toBe('cork');
      expect(writes.at(-1)).toBe('uncork');
      expect(writes.filter((name) => name === 'write').length).toBeGreaterThan(1);
    } finally {
      client.close();
      await server.close();
    }
  });

  test('what is sent in one turn over a WebSocket is written at once: frames in one buffer, other packets in one cork of its TCP socket', async () => {
    const pending: OutgoingPacket[] = [];
    await using socket = await connect(['websocket'], (conn) => coalesceWrites(conn, queueOf(pending)));
    await until('the greeting is written', () => pending.length === 0);
    const tcp = Reflect.get(Reflect.get(socket.conn.transport, 'socket'), '_socket');
    const done: string[] = [];
    for (const name of ['cork', 'write', 'uncork'] as const) {
      const call = tcp[name].bind(tcp);
      tcp[name] = (...args: unknown[]) => {
        done.push(name);
        return call(...args);
      };
    }
    for (const what of [1, 2, 3]) socket.say(what);
    expect(pending).toHaveLength(3);
    expect(bufferedPackets(socket.conn)).toEqual([]);
    await until('all are received', () => socket.received.length === 3);
    expect(socket.received).toEqual([1, 2, 3]);
    expect(pending).toEqual([]);
    expect(done.splice(0)).toEqual(['write']);
    for (const what of [4, 5]) socket.conn.send(`2["said",${what}]`);
    await until('those are received too', () => socket.received.length === 5);
    expect([done[0], done.at(-1)]).toEqual(['cork', 'uncork']);
  });

  test('a connection continues without its initial request, and through an upgrade', async () => {
    const pending: OutgoingPacket[] = [];
    await using socket = await connect(['polling', 'websocket'], (conn) => {
      expect(conn.request.headers.host).toBeDefined();
      releaseRequest(conn);
      coalesceWrites(conn, queueOf(pending));
    });
    expect(socket.conn.request).toBeUndefined();
    await until('upgraded', () => socket.conn.transport.name === 'websocket');
    socket.say('after');
    expect(pending).toHaveLength(1);
    await until('received', () => socket.received.includes('after'));
  });

  test("responses are written by a replacement for Socket.IO's writer, and counted", async () => {
    await using socket = await connect(['websocket']);
    const answered = encodeAcksWith(socket.server, (value) => JSON.stringify(value).replace('mark', 'é'));
    for (const connected of socket.server.sockets.sockets.values()) {
      connected.on('call', (ack: (...args: unknown[]) => void) => ack(null, 'mark'));
    }
    const answers: unknown[] = [];
    socket.client.emit('call', (...answer: unknown[]) => answers.push(answer));
    await until('answered', () => answers.length === 1);
    expect(answers).toEqual([[null, 'é']]);
    expect(answered()).toBe(Buffer.byteLength('30[null,"é"]'));
    socket.say('not an answer');
    expect(answered()).toBe(Buffer.byteLength('30[null,"é"]'));
  });

  test.each([
    '["call",1]',
    '[7]',
    '["connect"]',
    '["disconnecting"]',
    '["newListener"]',
    '[]',
    '[null]',
    '{}',
    '["call"',
  ])('emitting %s is accepted where Socket.IO accepts it', async (args) => {
    await using socket = await connect(['websocket']);
    const read: unknown[] = [];
    for (const connected of socket.server.sockets.sockets.values()) {
      connected.onAny((...emitted: unknown[]) => read.push(emitted));
    }
    socket.client.io.engine.write(`2${args}`);
    socket.client.emit('the last');
    await until('read, or closed', () => read.length > 0 || !socket.client.connected);
    const [first] = read;
    const isRead = Array.isArray(first) && first[0] !== 'the last';
    expect(parseEventArguments({ id: null, args })).toEqual(isRead ? first : null);
  });

  test.each(['websocket', 'polling'])(
    'a call by %s is withheld from Socket.IO and answered in its place',
    async (transport) => {
      const taken: (EmittedCall | null)[] = [];
      await using socket = await connect([transport], (conn) =>
        conn.on('packet', (packet: { type?: string; data?: unknown }) => {
          if (!String(packet.data).includes('large')) return;
          const call = callIn(packet);
          taken.push(call);
          withhold(packet);
          if (call?.id != null) sendAck(conn, call.id, '[{"code":429}]');
        }),
      );
      const calls: string[] = [];
      for (const connected of socket.server.sockets.sockets.values()) {
        connected.onAny((name: string, ack: () => void) => {
          calls.push(name);
          ack();
        });
      }
      const answers: unknown[] = [];
      socket.client.emit('a large call', 'x', (answer: unknown) => answers.push(answer));
      socket.client.emit('a large call without a callback');
      socket.client.emit('another', () => answers.push('answered'));
      await until('answered', () => answers.length === 2);
      expect(taken).toEqual([
        { id: 0, args: '["a large call","x"]' },
        { id: null, args: '["a large call without a callback"]' },
      ]);
      expect(answers).toEqual([{ code: 429 }, 'answered']);
      expect(calls).toEqual(['another']);
    },
  );

  test.each([
    ['opened as one', ['websocket']],
    ['upgraded to', ['polling', 'websocket']],
  ])(
    'packets and the pongs that ws sends by itself are announced on a WebSocket that was %s',
    async (_how, transports) => {
      let announced = 0;
      await using socket = await connect(transports, (conn) => {
        coalesceWrites(
          conn,
          queueOf([], () => announced++),
        );
      });
      const { engine } = socket.client.io;
      await until('a WebSocket', () => engine.transport.name === 'websocket' && !isPolled(socket.conn));
      await until('no packet is under way', () => socket.conn.transport.writable);
      const before = announced;
      socket.say('to the client');
      expect(announced).toBe(before + 1);
      await until('the client has received it', () => socket.received.length === 1);
      const webSocket: { ping(): void } = Reflect.get(engine.transport, 'ws');
      webSocket.ping();
      await until('the ping was announced', () => announced === before + 2);
    },
  );

  test('a connection that polls is known as one', async () => {
    await using socket = await connect(['polling']);
    expect(isPolled(socket.conn)).toBe(true);
  });

  test("engine.io's backlog while it is busy is visible", async () => {
    await using socket = await connect(['websocket']);
    socket.say('sent at once');
    socket.say('held back');
    expect(bufferedPackets(socket.conn)).toMatchObject([{ data: '2["said","held back"]' }]);
  });

  test('unsent bytes of a WebSocket are counted', async () => {
    await using socket = await connect(['websocket']);
    expect(bytesBuffered(socket.conn)).toBe(0);
    socket.say('x'.repeat(16 * 1024 * 1024));
    expect(bytesBuffered(socket.conn)).toBeGreaterThan(1024 * 1024);
  });

  test.each(['websocket', 'polling'])('a connection over %s is terminated immediately', async (transport) => {
    await using socket = await connect([transport]);
    const closed = transportClosed(socket.conn);
    terminate(socket.conn);
    await closed;
    await until('the client knows', () => !socket.client.connected);
    expect(socket.conn.readyState).toBe('closed');
    expect(bytesBuffered(socket.conn)).toBe(0);
  });
});

test('pino keeps its stream and the fields of every line under its symbols', () => {
  const stream = { write: () => undefined };
  const logger = pino({ base: { pid: 1, hostname: 'here' } }, stream);
  expect(streamOf(logger)).toBe(stream);
  expect(bindingsOf(logger)).toBe(',"pid":1,"hostname":"here"');
});

test('prom-client queries a histogram for its series during our response', async () => {
  class OfThree extends HistogramReadOnDemand {
    protected override async series() {
      return [{ metricName: 'waits_count', labels: {}, value: 3 }];
    }
  }
  const registry = new Registry();
  new OfThree({ name: 'waits', help: 'Waits', registers: [registry] });
  expect(await registry.metrics()).toBe('# HELP waits Waits\n# TYPE waits histogram\nwaits_count 3\n');
});

test('commander keeps the name of the default command', () => {
  const group = new Command('backup');
  expect(defaultCommandOf(group)).toBe(undefined);
  group.command('list');
  group.command('make', { isDefault: true });
  expect(defaultCommandOf(group)?.name()).toBe('make');
});

test.skipIf(noPostgres)('pg prepares the statements of a group once, and ends it with one Sync', async () => {
  await using database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url, pipeline: true } as pg.ClientConfig);
  await client.connect();
  const { connection } = client as unknown as { connection: pg.Connection };
  const [sync, parse] = [vi.spyOn(connection, 'sync'), vi.spyOn(connection, 'parse')];
  const sendGroup = () => {
    const group = new QueryGroup();
    const answers = [1, 2].map((value) =>
      group.add({ name: `select ${value}`, text: `SELECT ${value} + $1::int AS sum`, values: [value] }),
    );
    client.query(group);
    return Promise.all(answers);
  };
  const [first, second] = await Promise.all([sendGroup(), sendGroup()]);
  const sums = [{ sum: 2 }, { sum: 4 }];
  expect([first, second].map((answers) => answers.map(({ rows }) => rows[0]))).toEqual([sums, sums]);
  expect(sync).toHaveBeenCalledTimes(2);
  expect(parse).toHaveBeenCalledTimes(2);
  await client.end();
});
