import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { overHttp } from '../support/administration.ts';
import { frame, opcodes, openRawWebSocket, type RawWebSocket, text } from '../support/raw-websocket.ts';
import { randomWallet } from '../support/server.ts';
import { type Attack, adminToken, asRequest, type Count, send, type Target } from './attacking.ts';

/** Connections or sockets of each attack, and what each sends at once. */
const connections = 20;
const requestsAtOnce = 2_000;
const packetsAtOnce = 5_000;

/** Very many small requests and packets sent at once, and calls as fast as they are answered. */
export const pipelineAttacks: Record<string, Attack> = {
  'pipelined requests for a page': pipelined(asGet('/')),
  'pipelined requests for an unknown path': pipelined(asGet('/no/such/path')),
  'pipelined requests for the health': pipelined(asGet('/healthz')),
  'pipelined calls without a token': pipelined(asRequest('/launcher/set-user-score', '{}')),
  'pipelined dispatched calls of no method': pipelined(asRequest('/launcher', '{}')),
  'pipelined requests without a host': pipelined(Buffer.from('GET / HTTP/1.1\r\n\r\n')),
  'pipelined handshakes of long polling': pipelined(asGet('/socket.io/?EIO=4&transport=polling')),
  'refused calls at full speed': callsInTurn(() => asRequest('/launcher/set-user-score', '{}')),
  'calls to unknown methods at full speed': callsInTurn(() => asRequest('/launcher/no-such-method', '{}')),
  'accepted calls at full speed': callsInTurn((token) =>
    asRequest('/launcher/get-user-score', JSON.stringify({ launcherJwt: token })),
  ),
  'namespaces that do not exist': frames((at) => text(`40/none-${at},`)),
  'the same namespace over and over': frames(() => text('40/none,')),
  'packets before any handshake': frames(() => text('41')),
  'pongs of engine.io': frames(() => text('3')),
  'pings of the WebSocket protocol': frames(() => frame(opcodes.ping)),
  'announced attachments': frames((at) => (at % 2 === 0 ? text('451-["a"]') : frame(opcodes.binary))),
  'calls of a socket without a token, in one piece': frames((at) =>
    at === 0 ? text('40') : text(`42${at}["setUserScore","launcher",{},{}]`),
  ),
  'probes of an upgrade': frames(() => text('2probe'), openProbing),
  'namespaces that do not exist, by long polling': polled((at) => `40/none-${at},`),
  'pongs by long polling': polled(() => '3'),
  'refused calls over sockets, at the rate of the limit': async (target, { seconds }) => {
    const call = text('421["setUserScore","launcher",{},{}]');
    return repeatedly(seconds, async (count, over) => {
      using socket = await open(target);
      socket.send(text('40'));
      while (performance.now() < over && !socket.isClosed()) {
        socket.send(Buffer.concat(Array.from({ length: 9 }, () => call)));
        await sleep(10);
      }
      count(socket.isClosed() ? 'none' : 200);
    });
  },
};

function asGet(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
}

/** Sends the request very many times at once on each connection, and opens those that were closed again. */
function pipelined(request: Buffer): Attack {
  const requests = Buffer.concat(Array.from({ length: requestsAtOnce }, () => request));
  return async (target, { seconds }) =>
    repeatedly(seconds, async (count, over) => {
      await converse(target, over, count, requests, requestsAtOnce);
    });
}

/** Sends calls, each connection one at a time and with a session of its own. */
function callsInTurn(requestWith: (launcherJwt: string) => Buffer): Attack {
  return async (target, { seconds }) => {
    const { server, gameId } = target;
    const admin = overHttp({ url: server.url, adminToken });
    const requests: Buffer[] = [];
    for (let at = 0; at < connections; at++) {
      const { launcherJwt } = await admin.call(openSession, { gameId, wallet: randomWallet() });
      requests.push(requestWith(launcherJwt));
    }
    return repeatedly(seconds, async (count, over, at) => {
      await converse(target, over, count, requests[at] ?? Buffer.alloc(0), 1);
    });
  };
}

/** Sends the bytes, and again once `answers` responses have arrived, until the connection is closed or time is up. */
async function converse(
  { server, address }: Target,
  over: number,
  count: Count,
  bytes: Buffer,
  answers: number,
): Promise<void> {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(server.url).port),
    localAddress: address,
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let due = answers;
  socket.on('error', () => undefined); // a connection that was reset also emits `close`
  socket.setEncoding('latin1').on('data', (received: string) => {
    for (const [, status] of received.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      count(Number(status));
      due--;
    }
    if (due > 0) return;
    due = answers;
    socket.write(bytes);
  });
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), Math.max(0, over - performance.now()));
  await closed;
  clearTimeout(timer);
  if (performance.now() < over) count('none');
}

function open({ server, address }: Target): Promise<RawWebSocket> {
  return openRawWebSocket(server, address);
}

/** A WebSocket to which a session on long polling might be upgraded. */
async function openProbing(target: Target): Promise<RawWebSocket> {
  const sid = await openPolling(target);
  return openRawWebSocket(target.server, target.address, `&sid=${sid}`);
}

/** Sends very many frames at once on each socket, and opens those that were closed again. */
function frames(frameAt: (at: number) => Buffer, openSocket = open): Attack {
  const flood = Buffer.concat(Array.from({ length: packetsAtOnce }, (_, at) => frameAt(at)));
  return async (target, { seconds }) =>
    repeatedly(seconds, async (count, over) => {
      using socket = await openSocket(target);
      while (performance.now() < over && !socket.isClosed()) {
        if (!socket.socket.writableNeedDrain) socket.send(flood);
        await sleep(10);
      }
      count(socket.isClosed() ? 'none' : 200);
    });
}

async function openPolling({ server, address }: Target): Promise<string> {
  const agent = new Agent({ localAddress: address });
  const opened = await send(`${server.url}/socket.io/?EIO=4&transport=polling`, null, {}, agent);
  return /"sid":"([^"]+)"/.exec(opened.text)?.[1] ?? 'none';
}

/** The same in one POST of long polling. */
function polled(packetAt: (at: number) => string): Attack {
  const body = Buffer.from(Array.from({ length: packetsAtOnce }, (_, at) => packetAt(at)).join('\x1e'));
  return async (target, { seconds }) =>
    repeatedly(seconds, async (count, over) => {
      const agent = new Agent({ keepAlive: true, localAddress: target.address });
      const sid = await openPolling(target);
      const path = `${target.server.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`;
      let status: number | 'none' = 200;
      while (performance.now() < over && status === 200) {
        ({ status } = await send(path, body, { 'Content-Type': 'text/plain' }, agent));
        count(status);
      }
      agent.destroy();
    });
}

/** Does something on each of the connections, again and again until the time is up. */
function repeatedly(
  seconds: number,
  act: (count: Count, over: number, at: number) => Promise<void>,
): (count: Count) => Promise<void> {
  return async (count) => {
    const over = performance.now() + seconds * 1000;
    await Promise.all(
      Array.from({ length: connections }, async (_, at) => {
        while (performance.now() < over) await act(count, over, at).catch(() => sleep(20));
      }),
    );
  };
}
