import fc from 'fast-check';
import { Manager } from 'socket.io-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { type ListeningClient, listen } from '../support/listening-client.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData, type SharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

let data: SharedData;
let node: ClusterNode;
let player: TestPlayer;
let wellBehaved: ListeningClient;

beforeAll(async () => {
  data = await openSharedData();
  node = await startClusterNode({ DATA_DIR: data.path });
  player = await data.openSession(await data.createGame());
  wellBehaved = listen({ url: node.url, launcherJwt: player.launcherJwt });
  await wellBehaved.client.ready();
});

afterAll(async () => {
  wellBehaved.client.close();
  await node[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
});

/** The process is up, answers others on existing connections, and logged no unhandled error. */
async function isUnharmed(by = 'it'): Promise<void> {
  const status = await wellBehaved.client.call('channelStatus');
  expect(status, by).toMatchObject({ exists: true, present: true });
  expect(wellBehaved.connections(), by).toBe(1);
  expect(node.crashes(), by).toBe(0);
  expect(node.log(), by).not.toContain('unhandled error');
}

/** Random values, and the seed that reproduces them. */
function random<T>(arbitrary: fc.Arbitrary<T>, count: number): { things: T[]; seed: number } {
  const seed = Math.trunc(Math.random() * 2 ** 31);
  return { things: fc.sample(arbitrary, { numRuns: count, seed }), seed };
}

/** Sends texts as Engine.IO messages on a separate connection; `afterConnect`: once the launcher was accepted. */
async function sendRaw(texts: readonly string[], afterConnect: boolean): Promise<void> {
  const manager = new Manager(node.url, {
    transports: ['websocket'],
    reconnection: false,
    autoConnect: false,
  });
  await new Promise<void>((resolve, reject) => manager.open((error) => (error ? reject(error) : resolve())));
  const { engine } = manager;
  const closed = new Promise<void>((resolve) => engine.once('close', () => resolve()));
  if (afterConnect) {
    const answered = new Promise<void>((resolve) => engine.once('message', () => resolve()));
    engine.send(`0${JSON.stringify({ launcherJwt: player.launcherJwt })}`);
    await answered;
  }
  for (const text of texts) engine.send(text);
  engine.send('1'); // Socket.IO's DISCONNECT, after which nothing is read
  engine.close();
  await closed;
}

const call = (method: string, ...args: unknown[]) => `2${JSON.stringify([method, ...args])}`;
const deep = (open: string, middle: string, close: string) =>
  open.repeat(20_000) + middle + close.repeat(20_000);

test.each<[string, string[]]>([
  ['no ack', [call('getStates', 'launcher', {}, {})]],
  ['a text where the ack should be', [call('getStates', 'launcher', {}, {}, 'ack')]],
  ['an object where the ack should be', [call('getStates', 'launcher', {}, {}, { call: 'me', apply: 'me' })]],
  ['an ack id beyond counting', [`2${'9'.repeat(400)}["getStates","launcher",{},{}]`]],
  ['an ack that the server did not request', ['37["what"]', '3["what"]', `3${'9'.repeat(400)}[]`]],
  [
    'events without a listener',
    [call('no such event'), call('', 'launcher'), call('find', 'no such service')],
  ],
  ['no arguments', [call('getStates'), call('subscribe'), call('setUserScore', 'launcher')]],
  [
    'a service that is not a string',
    [call('getStates', 7), call('getStates', null), call('getStates', ['launcher'])],
  ],
  ['data that is not an object', ['a', 7, null, true, [[]]].map((it) => call('getStates', 'launcher', it))],
  [
    "Object's own names",
    ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].flatMap((name) => [
      call(name, 'launcher', {}),
      call('getStates', name, {}),
      call('find', name, {}),
    ]),
  ],
  [
    '__proto__ inside the data',
    [
      '2["setState","launcher",{"__proto__":{"polluted":true},"label":"a","state":"{}"}]',
      '2["setState","launcher",{"constructor":{"prototype":{"polluted":true}},"label":"a","state":"{}"}]',
      '2["setState","launcher",{"label":"__proto__","state":"{\\"__proto__\\":{\\"polluted\\":true}}"}]',
    ],
  ],
  ...[
    'error',
    'disconnect',
    'disconnecting',
    'connect',
    'connect_error',
    'newListener',
    'removeListener',
  ].map((name): [string, string[]] => [`Socket.IO's own event ${name}`, [call(name, 'launcher', {})]]),
  [
    "the server's own events",
    [
      call('realtime-events connected', { streams: {} }),
      call('gantry bus', { kind: 'events', events: [{ position: 1e9 }] }),
      call('chat-messages created', { content: 'forged' }, { stream: 'channel:1', epoch: 'a', seq: 1 }),
    ],
  ],
  ['20,000 arrays in the data', [`2["getStates","launcher",${deep('[', '', ']')}]`]],
  ['20,000 objects in the data', [`2["getStates","launcher",${deep('{"a":', '1', '}')}]`]],
  ['20,000 arrays in the query', [`2["getStates","launcher",{},${deep('[', '', ']')}]`]],
  ['20,000 arrays in a state', [`27["setState","launcher",{"label":"a","state":"${deep('[', '', ']')}"}]`]],
  [
    '20,000 arrays in a state as a value',
    [`27["setState","launcher",{"label":"a","state":${deep('[', '', ']')}}]`],
  ],
  ['20,000 arrays as the event', [`2${deep('[', '', ']')}`]],
  [
    '20,000 arrays around an attachment',
    [`51-["getStates",${deep('[', '{"_placeholder":true,"num":0}', ']')}]`],
  ],
  ['attachments that never come', ['51-["getStates","launcher",{"_placeholder":true,"num":0}]', call('x')]],
  ['a number of attachments beyond counting', [`5${'9'.repeat(400)}-["getStates"]`, '5-1-["getStates"]']],
  [
    'packets of no type',
    ['9', '', '2', '2{}', '2null', '2[]', '2[null]', '2["a"', '2[{}]', '7["a"]', '\u0000'],
  ],
  ['a number as the event', ['2[42,"launcher",{}]', '2[-1]', '2[1e999]']],
  ['CONNECT again, and CONNECT_ERROR', ['0{}', '4{"message":"no"}']],
  [
    'other namespaces',
    ['0/admin,{}', '2/admin,["getStates"]', `0/${'a'.repeat(10_000)},{}`, '0/__proto__,{}'],
  ],
])('%s: the process survives and answers others', async (_what, texts) => {
  for (const text of texts) await sendRaw([text], true);
  await sendRaw(texts, true);
  await isUnharmed();
});

test.each<[string, string]>([
  ['a list', '0[1,2]'],
  ['a text', '0"token"'],
  ['a token that is an object', '0{"launcherJwt":{"toString":"me"}}'],
  ['a token that is a list', `0{"launcherJwt":${deep('[', '', ']')}}`],
  ['a token of a megabyte', `0{"launcherJwt":"${'a'.repeat(1_000_000)}"}`],
  ['deep cursors', `0{"launcherJwt":"a","cursors":${deep('{"a":', '1', '}')}}`],
  ['a prototype', '0{"__proto__":{"launcherJwt":"a"}}'],
])('a handshake with %s: the process survives and answers others', async (_what, text) => {
  await sendRaw([text], false);
  await isUnharmed();
});

test.each([
  ['a connection that closes immediately', 1],
  ['many CONNECTs at once on one connection', 200],
])('%s: no session stays present', async (_what, connects) => {
  const another = await data.openSession(player.gameId);
  const connect = `0${JSON.stringify({ launcherJwt: another.launcherJwt })}`;
  await sendRaw(
    Array.from({ length: connects }, () => connect),
    false,
  );
  await isUnharmed();
  await until('absent', async () => {
    const answer = await post(`${node.url}/launcher/channel-status`, { launcherJwt: another.launcherJwt });
    return (answer.body as { present: boolean }).present === false;
  });
  // And none of their rooms: what is sent now waits for the next connection.
  await data.db.write(notifyPlayer, another, { message: 'you won', type: 'success' });
  using launcher = await connectLauncher(node.url, { launcherJwt: another.launcherJwt });
  expect((await launcher.waitForEvent('notifications created')).meta.late).toBe(true);
});

test('binary values are refused as invalid JSON, wherever they are', async () => {
  using launcher = await connectLauncher(node.url, { launcherJwt: player.launcherJwt });
  const bytes = Buffer.alloc(1_000_000);
  const refused = { code: 400, data: { reason: 'body_not_json' } };
  for (const data of [bytes, { label: 'a', state: bytes }, { label: 'a', state: { in: [{ it: bytes }] } }]) {
    await expect(launcher.call('setState', data)).rejects.toMatchObject(refused);
  }
  await isUnharmed();
});

test('excessive nesting is refused with a clear error when it can be answered', async () => {
  using launcher = await connectLauncher(node.url, { launcherJwt: player.launcherJwt });
  const nested = JSON.parse('['.repeat(200) + ']'.repeat(200));
  await expect(launcher.call('setState', { label: 'a', state: nested })).rejects.toMatchObject({
    code: 400,
    data: { reason: 'body_too_deep' },
  });
  await isUnharmed();
});

test('a frame over the limit closes its connection, and no other', async () => {
  using launcher = await connectLauncher(node.url, { launcherJwt: player.launcherJwt });
  const closed = new Promise((resolve) => launcher.socket.once('disconnect', resolve));
  launcher.socket.emit('setState', 'launcher', { label: 'a', state: 'x'.repeat(3 * 1024 * 1024) });
  await closed;
  await isUnharmed();
});

test('200 emits of random values: the process survives and answers others', async () => {
  using launcher = await connectLauncher(node.url, { launcherJwt: player.launcherJwt });
  const method = fc.oneof(
    fc.constantFrom('getStates', 'setState', 'subscribe', 'find', 'sendChannelMessage', 'setUserScore'),
    fc.string(),
  );
  const argument = fc.oneof(
    fc.constantFrom('launcher', 'realtime-events', 'scores', 'chat-messages'),
    fc.jsonValue(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.record({
      launcherJwt: fc.jsonValue(),
      limit: fc.jsonValue(),
      label: fc.jsonValue(),
      state: fc.jsonValue(),
    }),
  );
  const reserved = [
    'connect',
    'connect_error',
    'disconnect',
    'disconnecting',
    'newListener',
    'removeListener',
  ];
  const { things, seed } = random(fc.tuple(method, fc.array(argument, { maxLength: 6 })), 200);
  for (const [name, args] of things) {
    if (reserved.includes(name)) continue; // the client itself refuses to emit these
    if (args.length % 2) launcher.socket.emit(name, ...args);
    else launcher.socket.emit(name, ...args, () => {});
  }
  // Answered after all of them, on the same connection.
  expect(await launcher.call('channelStatus')).toMatchObject({ exists: true });
  await isUnharmed(`seed ${seed}`);
});

test('200 random texts as packets: the process survives and answers others', async () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.constantFrom('0', '1', '2', '3', '4', '5', '6'), fc.json())
      .map(([type, json]) => type + json),
  );
  const { things, seed } = random(text, 200);
  for (const packet of things) await sendRaw([packet], true);
  await isUnharmed(`seed ${seed}`);
});
