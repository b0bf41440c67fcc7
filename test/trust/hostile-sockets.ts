import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { readEpoch } from '../../src/features/events/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { overHttp } from '../support/administration.ts';
import { openRawWebSocket, type RawWebSocket, text } from '../support/raw-websocket.ts';
import { randomWallet } from '../support/server.ts';
import {
  type Attack,
  adminToken,
  inTurn,
  mebibyte,
  send,
  type Target,
  writeLargeStates,
} from './attacking.ts';

/** Cursors of very many nonexistent streams: half a megabyte, and nearly the maximum packet size. */
const junkCursors = [10_000, 36_000].map((count) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`channel:${at}`, { epoch: 'e', seq: at }])),
);

const wideState = Object.fromEntries(
  Array.from({ length: 70_000 }, (_, at) => [`k${(at * 7919) % 70_000}`, at]),
);

/** The same over the transports of Socket.IO, and attacks that only sockets allow. */
export const socketAttacks: Record<string, Attack> = {
  'handshakes with very many cursors': async (target, { seconds }) => {
    const { launcherJwt } = target;
    const frames = junkCursors.map((cursors) => text(`40${JSON.stringify({ launcherJwt, cursors })}`));
    return (count) =>
      often(seconds, 4, async (at) => {
        using socket = await open(target);
        socket.send(frames[at % frames.length] ?? text('40'));
        count(await answerOf(socket, /^4(?:0|4)/));
      });
  },
  'the same over long polling': async ({ server, address, launcherJwt }, { seconds }) => {
    const bodies = junkCursors.map((cursors) => Buffer.from(`40${JSON.stringify({ launcherJwt, cursors })}`));
    return (count) =>
      often(seconds, 4, async (at) => {
        const agent = new Agent({ keepAlive: true, localAddress: address });
        const path = `${server.url}/socket.io/?EIO=4&transport=polling`;
        const opened = await send(path, null, {}, agent);
        const sid = /"sid":"([^"]+)"/.exec(opened.text)?.[1];
        const headers = { 'Content-Type': 'text/plain' };
        const body = bodies[at % bodies.length] ?? Buffer.from('40');
        count((await send(`${path}&sid=${sid}`, body, headers, agent)).status);
        agent.destroy();
      });
  },
  'sockets that read nothing': async (target, { seconds, connections }) => {
    const { server, file, gameId } = target;
    // Sixteen players of one channel, with many messages since their cursors.
    const admin = overHttp({ url: server.url, adminToken });
    const wallets = Array.from({ length: 16 }, randomWallet);
    const tokens = await Promise.all(
      wallets.map(async (wallet) => (await admin.call(openSession, { gameId, wallet })).launcherJwt),
    );
    const db = new SqliteDatabase(file, domain);
    const [first = '', ...others] = wallets;
    const sender = { gameId, wallet: first };
    const { _id: channelId } = await db.write(createChannel, sender, others);
    const said = 'a'.repeat(2_000);
    await Promise.all(Array.from({ length: 3_000 }, () => db.write(sendMessage, sender, channelId, said)));
    const epoch = await db.read(readEpoch);
    await db.close();
    const cursors = { [`channel:${channelId}`]: { epoch, seq: 0 } };
    return async (count) => {
      const sockets: RawWebSocket[] = [];
      const over = performance.now() + seconds * 1000;
      for (let at = 0; at < Math.min(connections, 800) && performance.now() < over; at++) {
        const socket = await open(target);
        const launcherJwt = tokens[at % tokens.length];
        socket.send(text(`40${JSON.stringify({ launcherJwt, cursors })}`));
        socket.socket.pause();
        sockets.push(socket);
      }
      await sleep(Math.max(0, over - performance.now()));
      for (const socket of sockets) {
        count(socket.isClosed() ? 'none' : 200);
        socket.socket.destroy();
      }
    };
  },
  'large answers over sockets, not read': async (target, { seconds, connections }) => {
    await writeLargeStates(target);
    return async (count) => {
      const sockets: RawWebSocket[] = [];
      const over = performance.now() + seconds * 1000;
      for (let at = 0; at < Math.min(connections, 50) && performance.now() < over; at++) {
        const socket = await admitted(target);
        for (let id = 0; id < 5; id++) socket.send(text(`42${id}["getStates","launcher",{"limit":250},{}]`));
        socket.socket.pause();
        sockets.push(socket);
      }
      await sleep(Math.max(0, over - performance.now()));
      for (const socket of sockets) {
        count(socket.isClosed() ? 'none' : 200);
        socket.socket.destroy();
      }
    };
  },
  'states of very many parts, over a socket': async (target, { seconds }) => {
    const call = `["setState","launcher",${JSON.stringify({ label: 'wide', state: wideState })},{}]`;
    const perSecond = 5;
    const frames = Array.from({ length: Math.ceil(perSecond * seconds) }, (_, id) => text(`42${id}${call}`));
    return async (count) => {
      using socket = await admitted(target);
      await often(seconds, perSecond, async (at) => {
        if (socket.isClosed()) return count('none');
        const id = at % frames.length;
        socket.send(frames[id] ?? text(''));
        count(await answerOf(socket, new RegExp(`^43${id}\\[`)));
      });
    };
  },
  'channels with a stranger, without end': async (target, { seconds }) => {
    const { server, address, launcherJwt, otherWallet } = target;
    const input = () => ({ otherParticipants: [otherWallet, randomWallet()] });
    const headers = { 'X-Service-Method': 'createMessageChannel' };
    return async (count) => {
      using socket = await admitted(target);
      const overSocket = often(seconds, 50, async (at) => {
        const data = JSON.stringify(input());
        socket.send(text(`42${at}["createMessageChannel","launcher",${data},{}]`));
        count(await answerOf(socket, new RegExp(`^43${at}\\[`)));
      });
      const agent = new Agent({ keepAlive: true, localAddress: address });
      const dispatched = often(seconds, 50, async () => {
        const body = Buffer.from(JSON.stringify({ launcherJwt, ...input() }));
        count((await send(`${server.url}/launcher`, body, headers, agent)).status);
      });
      await Promise.all([overSocket, dispatched]);
      agent.destroy();
    };
  },
  'large bodies of dispatched calls': async (target, { seconds }) => {
    const { launcherJwt } = target;
    const body = Buffer.from(JSON.stringify({ launcherJwt, label: 'a', state: 'a'.repeat(1.5 * mebibyte) }));
    return (count) =>
      inTurn(target, '/launcher', body, { 'X-Service-Method': 'setState' }, seconds, 20, count);
  },
};

const open = ({ server, address }: Target) => openRawWebSocket(server, address);

async function admitted(target: Target): Promise<RawWebSocket> {
  const socket = await open(target);
  socket.send(text(`40${JSON.stringify({ launcherJwt: target.launcherJwt })}`));
  await answerOf(socket, /^40/);
  return socket;
}

/**
 * The code in the first matching text; 200 when it contains no error; `none` when the connection was closed instead.
 */
async function answerOf(socket: RawWebSocket, like: RegExp): Promise<number | 'none'> {
  for (;;) {
    const found = socket.texts.find((one) => like.test(one));
    if (found) return Number(/"code":(\d+)/.exec(found.slice(0, 1_000))?.[1] ?? 200);
    if (socket.isClosed()) return 'none';
    await sleep(10);
  }
}

/** Does something a given number of times per second, whether or not the previous one has finished. */
async function often(seconds: number, perSecond: number, act: (at: number) => Promise<void>): Promise<void> {
  const acts: Promise<void>[] = [];
  const over = performance.now() + seconds * 1000;
  for (let at = 0; performance.now() < over; at++) {
    acts.push(act(at));
    await sleep(1000 / perSecond);
  }
  await Promise.all(acts);
}
