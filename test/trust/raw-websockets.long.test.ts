import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { type ListeningClient, listen } from '../support/listening-client.ts';
import { exchange } from '../support/raw-http.ts';
import { type FrameOptions, frame, opcodes, openRawWebSocket, text } from '../support/raw-websocket.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData, type SharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

const MiB = 1024 * 1024;
const capBytes = 2 * MiB;

let data: SharedData;
let node: ClusterNode;
let player: TestPlayer;
let wellBehaved: ListeningClient;
let notified = 0;

beforeAll(async () => {
  data = await openSharedData();
  // Twice as many connections as a session may open; calls have a separate limit below.
  node = await startClusterNode({ DATA_DIR: data.path, RATE_LIMIT_FACTOR: '2' });
  player = await data.openSession(await data.createGame());
  wellBehaved = listen({ url: node.url, launcherJwt: player.launcherJwt });
  await wellBehaved.client.ready();
});

afterAll(async () => {
  wellBehaved.client.close();
  await node[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
});

/** The process is up, and another launcher calls and receives on its existing connection. */
async function othersAreUndisturbed(): Promise<void> {
  expect(await wellBehaved.client.call('channelStatus')).toMatchObject({ exists: true, present: true });
  const message = `still here ${notified++}`;
  await wellBehaved.client.call('sendNotification', { message, type: 'success' });
  await until('the notification', () =>
    wellBehaved.received.some(({ record }) => record.message === message),
  );
  expect(wellBehaved.connections()).toBe(1);
  expect(node.crashes()).toBe(0);
  expect(node.log()).not.toContain('unhandled error');
}

const connectPacket = () => text(`40${JSON.stringify({ launcherJwt: player.launcherJwt })}`);
const header = (opcode: number, length: bigint, options: FrameOptions = {}) =>
  frame(opcode, '', { ...options, length });
const closing = (code: number, reason: string | Buffer = '') => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(code);
  return frame(
    opcodes.close,
    Buffer.concat([bytes, typeof reason === 'string' ? Buffer.from(reason) : reason]),
  );
};
const badUtf8 = Buffer.from([0x34, 0x32, 0xc3, 0x28]);

describe.each([
  ['before it was connected', false],
  ['after it was connected', true],
])('a connection that, %s, sends', (_when, letIn) => {
  async function isClosedAfter(frames: readonly Buffer[]): Promise<number | null> {
    using raw = await openRawWebSocket(node);
    if (letIn) {
      raw.send(connectPacket());
      await until('connected', () =>
        raw.texts.some((one) => one.startsWith('42["realtime-events connected"')),
      );
    }
    raw.send(...frames);
    // Its close frame is enough; the server waits for ours, or for its own timeout.
    await until('closed', () => raw.isClosed() || raw.closeCode() !== null, 5_000);
    return raw.closeCode();
  }

  /** Close codes of RFC 6455, 7.4.1; 1005 is a close without one. */
  test.each<[what: string, code: number, frames: Buffer[]]>([
    ['a frame that is not masked', 1002, [text('3', { masked: false })]],
    ['a frame with reserved bits', 1002, [text('3', { rsv: 0b100 })]],
    ['a compressed frame without negotiation', 1002, [text('3', { rsv: 0b100 }), text('3')]],
    ['an unknown opcode', 1002, [frame(3, 'x')]],
    ['an unknown control opcode', 1002, [frame(11, 'x')]],
    ['a ping in pieces', 1002, [frame(opcodes.ping, 'x', { fin: false })]],
    ['a ping of 126 bytes', 1002, [frame(opcodes.ping, 'x'.repeat(126))]],
    ['a close of 126 bytes', 1002, [closing(1000, 'x'.repeat(124))]],
    ['a close of one byte', 1002, [frame(opcodes.close, 'x')]],
    ['a close with an invalid code', 1002, [closing(999)]],
    ['a close with a code that is never sent', 1002, [closing(1005)]],
    ['a close with a reason that is not UTF-8', 1007, [closing(1000, Buffer.from([0xff, 0xfe]))]],
    ['the rest of a message that never began', 1002, [frame(opcodes.continuation, 'x')]],
    ['a message inside of another', 1002, [text('42', { fin: false }), text('3')]],
    ['text that is not UTF-8', 1007, [text(badUtf8)]],
    [
      'text whose UTF-8 breaks off between its pieces',
      1007,
      [
        text(Buffer.from([0x34, 0xe2, 0x82]), { fin: false }),
        frame(opcodes.continuation, Buffer.from([0x28])),
      ],
    ],
    ['a frame one byte too long', 1009, [header(opcodes.text, BigInt(capBytes + 1))]],
    ['a frame of 2^53 bytes', 1009, [header(opcodes.text, 2n ** 53n)]],
    ['a frame of 2^63 bytes', 1009, [header(opcodes.binary, 2n ** 63n)]],
    [
      'a message that is too long in its pieces',
      1009,
      [
        text(`42["setState","launcher",{"state":"${'x'.repeat(MiB)}`, { fin: false }),
        frame(opcodes.continuation, 'x'.repeat(MiB), { fin: false }),
        frame(opcodes.continuation, 'x'.repeat(MiB)),
      ],
    ],
    ['no packet at all', 1005, [text('')]],
    ['a packet of no type', 1005, [text('9')]],
    ["a ping, which is the server's to send", 1005, [text('2')]],
    ['a message of no type', 1005, [text('4')]],
    ['a Socket.IO packet of no type', 1005, [text('49')]],
    ['a packet that is not JSON', 1005, [text('42["channelStatus"')]],
    ['an event that is an object', 1005, [text('42{"a":1}')]],
    ['a second CONNECT', 1005, [text('40{}'), text('40{}'), text('40{}')]],
    ['bytes that belong to nothing', 1005, [frame(opcodes.binary, 'bytes')]],
    [
      'a text where an attachment should be',
      1005,
      [text('451-["setState",{"_placeholder":true,"num":0}]'), text('42["channelStatus","launcher"]')],
    ],
    ['more attachments than are accepted', 1005, [text('4511-["setState"]')]],
    ['attachments beyond counting', 1005, [text(`45${'9'.repeat(300)}-["setState"]`)]],
    [
      'a placeholder for a missing attachment',
      1005,
      [text('451-["setState",{"_placeholder":true,"num":7}]'), frame(opcodes.binary, 'bytes')],
    ],
  ])('%s is closed, and nobody else is affected', async (_what, code, frames) => {
    const closeCode = await isClosedAfter(frames);
    expect(closeCode).toBe(code);
    await othersAreUndisturbed();
  });

  test('20,000 arrays, wherever they are: it is refused or closed, and nobody else is affected', async () => {
    const nested = '['.repeat(20_000) + ']'.repeat(20_000);
    for (const packet of [
      `40${nested}`,
      `40{"launcherJwt":${nested}}`,
      `42${nested}`,
      `427["setState","launcher",{"label":"a","state":${nested}}]`,
      `437${nested}`,
      `44${nested}`,
      `451-["setState","launcher",{"label":"a","state":${nested}},{"_placeholder":true,"num":0}]`,
    ]) {
      using raw = await openRawWebSocket(node);
      if (letIn) raw.send(connectPacket());
      raw.send(text(packet), ...(packet.startsWith('45') ? [frame(opcodes.binary, 'bytes')] : []), text('9'));
      await until('closed', () => raw.isClosed() || raw.closeCode() !== null, 5_000);
    }
    await othersAreUndisturbed();
  });
});

test('an unknown namespace is refused, and the connection stays open', async () => {
  using raw = await openRawWebSocket(node);
  for (const namespace of ['/admin', '/__proto__', '/constructor', `/${'a'.repeat(1_000)}`]) {
    raw.send(text(`40${namespace},${JSON.stringify({ launcherJwt: player.launcherJwt })}`));
    await until('refused', () => raw.texts.some((one) => one.startsWith(`44${namespace},`)));
  }
  raw.send(connectPacket());
  await until('connected', () => raw.texts.some((one) => one.startsWith('40{')));
  await othersAreUndisturbed();
});

test("the server's own packet types, sent to it, are ignored", async () => {
  using raw = await openRawWebSocket(node);
  raw.send(text('0{"sid":"mine"}'), text('5'), text('6'), text('3probe'));
  raw.send(connectPacket());
  await until('connected, or closed', () => raw.isClosed() || raw.texts.some((one) => one.startsWith('40{')));
  await othersAreUndisturbed();
});

test('pings are answered as they arrive, each with its payload', async () => {
  using raw = await openRawWebSocket(node);
  let received = '';
  raw.socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  raw.send(frame(opcodes.ping, 'are you there?'));
  await until('the pong', () => received.includes('\x8a\x0eare you there?'));
  raw.send(...Array.from({ length: 20_000 }, () => frame(opcodes.ping, 'x'.repeat(125))));
  await othersAreUndisturbed();
});

test('attachments that never arrive leak nothing: together they are no longer than a frame may be', async () => {
  const before = await node.rssBytes();
  const attachment = frame(opcodes.binary, Buffer.alloc(MiB)); // masking one takes a while
  const all = await Promise.all(Array.from({ length: 20 }, () => openRawWebSocket(node)));
  for (const raw of all) {
    raw.send(text('4510-["setState",{"_placeholder":true,"num":0}]'));
    for (let part = 0; part < 9; part++) raw.send(attachment);
  }
  await until('cut', () => all.every((raw) => raw.isClosed()), 15_000);
  await othersAreUndisturbed();
  expect((await node.rssBytes()) - before).toBeLessThan(150 * MiB);
});

test('a connection that floods without calling is closed; one that calls within its limits is not', async () => {
  const unanswerable = text('40/none,{}');
  for (const packet of [unanswerable, text('42["no such method","launcher",{},{}]'), text('3')]) {
    using raw = await openRawWebSocket(node);
    if (packet !== unanswerable) {
      raw.send(connectPacket());
      await until('connected', () =>
        raw.texts.some((one) => one.startsWith('42["realtime-events connected"')),
      );
    }
    const flood = Buffer.concat(Array.from({ length: 1_000 }, () => packet));
    for (let time = 0; time < 20 && !raw.isClosed(); time++) raw.send(flood);
    await until('cut', () => raw.isClosed(), 60_000);
  }
  const calls = await Promise.allSettled(
    Array.from({ length: 600 }, () => wellBehaved.client.call('channelStatus')),
  );
  expect(calls.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(300);
  await until('the window over', async () => {
    try {
      await othersAreUndisturbed();
      return true;
    } catch {
      return false;
    }
  });
});

test('a hundred thousand packets in one POST of long polling are not processed', async () => {
  const polling = `${node.url}/socket.io/?EIO=4&transport=polling`;
  const opened = await (await fetch(polling)).text();
  const { sid } = JSON.parse(opened.slice(1));
  const body = Array.from({ length: 100_000 }, () => '40/none,{}').join('\x1e');
  const from = performance.now();
  await fetch(`${polling}&sid=${sid}`, { method: 'POST', body }).catch(() => undefined);
  const answer = await fetch(`${polling}&sid=${sid}`);
  expect(answer.status).toBe(400); // no such session any more
  expect(performance.now() - from).toBeLessThan(2_000);
  await othersAreUndisturbed();
});

test('an unauthenticated one that does not read its responses is closed at 1 MiB', async () => {
  using raw = await openRawWebSocket(node);
  raw.socket.pause();
  const refused = text(`40/${'n'.repeat(20_000)},{}`); // the responses are as large
  const sending = setInterval(() => {
    for (let time = 0; time < 50; time++) raw.send(refused);
  }, 100);
  try {
    await until(
      'closed',
      () => raw.socket.destroyed || node.log().includes('slow consumer disconnected'),
      15_000,
    );
  } finally {
    clearInterval(sending);
  }
  await othersAreUndisturbed();
});

test('one that never authenticates is closed after ten seconds', async () => {
  using raw = await openRawWebSocket(node);
  const from = performance.now();
  await until('closed', () => raw.isClosed() || raw.closeCode() !== null, 15_000);
  expect(performance.now() - from).toBeGreaterThan(8_000);
  await othersAreUndisturbed();
});

test('invalid upgrades are refused, and incomplete ones aborted', async () => {
  const upgrade = (path: string, ...headers: string[]) =>
    [`GET ${path} HTTP/1.1`, 'Host: gantry', ...headers, '', ''].join('\r\n');
  const socketIo = '/socket.io/?EIO=4&transport=websocket';
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const asWebSocket = ['Upgrade: websocket', 'Connection: Upgrade'];
  for (const request of [
    upgrade(socketIo, ...asWebSocket, 'Sec-WebSocket-Version: 13'),
    upgrade(socketIo, ...asWebSocket, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: short'),
    upgrade(socketIo, ...asWebSocket, 'Sec-WebSocket-Version: 7', key),
    upgrade(socketIo, 'Upgrade: h2c', 'Connection: Upgrade'),
    upgrade(socketIo),
    upgrade('/socket.io/?EIO=4&transport=carrier-pigeon', ...asWebSocket, 'Sec-WebSocket-Version: 13', key),
    upgrade(
      '/socket.io/?EIO=4&transport=websocket&sid=none',
      ...asWebSocket,
      'Sec-WebSocket-Version: 13',
      key,
    ),
    upgrade('/', ...asWebSocket, 'Sec-WebSocket-Version: 13', key),
    upgrade('/launcher', ...asWebSocket, 'Sec-WebSocket-Version: 13', key),
  ]) {
    const { statuses, closedAfterMs } = await exchange(node, [request], { withinMs: 3_000, answers: 1 });
    const isRefused = statuses.length > 0 && statuses.every((status) => status >= 400 && status < 500);
    expect(isRefused || closedAfterMs !== null || statuses[0] === 200, request).toBe(true);
    expect(statuses, request).not.toContain(101);
  }
  // A client of an older Socket.IO gets its own error message.
  const old = upgrade(
    '/socket.io/?EIO=3&transport=websocket',
    ...asWebSocket,
    'Sec-WebSocket-Version: 13',
    key,
  );
  const { received } = await exchange(node, [old], { withinMs: 1_000 });
  expect(received).toMatch(/Socket\.IO 2 and older are not supported/);
  const half = upgrade(socketIo, ...asWebSocket).slice(0, -4);
  const { closedAfterMs } = await exchange(node, [half], { withinMs: 15_000 });
  expect(closedAfterMs).not.toBeNull();
  await othersAreUndisturbed();
});
