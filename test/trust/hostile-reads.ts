import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { addReactionTo } from '../../src/features/messages/reaction-commands.ts';
import { kebabCase } from '../../src/features/operation.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { overHttp } from '../support/administration.ts';
import { openRawWebSocket, type RawWebSocket, text } from '../support/raw-websocket.ts';
import { randomWallet } from '../support/server.ts';
import { type Attack, adminToken, type Count, send, type Target } from './attacking.ts';

/** Calls of an attack per second, over each transport. */
const perSecond = 50;
const burstSize = 200;
const answeredWithinMs = 30_000;

/** Callers whose calls are few and valid, and each as much work as possible. */
export const readAttacks: Record<string, Attack> = {
  'places of a hundred players each, without a token': async (target, { seconds }) => {
    const wallets = await rankedPlayers(target);
    const input = () => ({ gameId: target.gameId, wallets: sample(wallets, 100) });
    return (count) => everyWay(target, { method: 'getLeaderboardAmong', input }, seconds, count);
  },
  'presence of a hundred players each, with the secret of a game': async (target, { seconds }) => {
    const { gameId, gameSecret } = await gameOf(target);
    const wallets = Array.from({ length: 100 }, randomWallet);
    const db = new SqliteDatabase(target.file, domain);
    for (const wallet of [...wallets, ...wallets])
      await db.write(startSession, { gameId, wallet }, 3_600_000);
    await db.close();
    const input = () => ({ wallets });
    return (count) => everyWay(target, { method: 'getPlayerPresence', input, gameSecret }, seconds, count);
  },
  'notifications to a hundred new players each, with the secret of a game': async (target, { seconds }) => {
    const { gameSecret } = await gameOf(target);
    const data = () => ({
      wallets: Array.from({ length: 100 }, randomWallet),
      message: 'n'.repeat(1_000),
      type: 'success',
    });
    const batch = () => ({ operations: [1, 2, 3].map(() => ({ method: 'notifyPlayers', data: data() })) });
    return async (count) => {
      await Promise.all([
        everyWay(target, { method: 'notifyPlayers', input: data, gameSecret }, seconds, count),
        everyWay(target, { method: 'batch', input: batch, gameSecret }, seconds, count),
      ]);
    };
  },
  'bursts of the most expensive reads of a player': async (target, { seconds }) => {
    const player = await busyPlayer(target);
    const { launcherJwt, channelId } = player;
    const reads = [
      { method: 'getMessageChannels', input: { limit: 250, withUnread: true } },
      { method: 'getChannelMessages', input: { channelId, limit: 250 } },
      { method: 'getUnreadCount', input: { channelId } },
    ];
    return async (count) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 256, localAddress: target.address });
      using socket = await admitted(target, { launcherJwt });
      const sent: Promise<void>[] = [];
      for (let second = 0; second < seconds; second++) {
        for (let at = 0; at < burstSize; at++) {
          const { method, input } = reads[at % reads.length] ?? { method: '', input: {} };
          if (at % 2 === 0)
            sent.push(overHttpAs(target, agent, at % 4 === 0, method, { launcherJwt, ...input }, count));
          else
            socket.send(
              text(`42${second * burstSize + at}["${method}","launcher",${JSON.stringify(input)},{}]`),
            );
        }
        await sleep(1_000);
      }
      await Promise.all(sent);
      await countAnswers(socket, (seconds * burstSize) / 2, count);
      agent.destroy();
    };
  },
};

interface Calls {
  method: string;
  input(): object;
  gameSecret?: string;
}

/** The windows of the limits in which the attackers' address called: the program calls from it afterwards. */
const windowMs = 2_000;

/** Calls on the dedicated path, by method dispatch and over a socket, whether or not the previous calls were answered. */
async function everyWay(target: Target, calls: Calls, seconds: number, count: Count): Promise<void> {
  const { method, input, gameSecret } = calls;
  const agent = new Agent({ keepAlive: true, maxSockets: 64, localAddress: target.address });
  using socket = await admitted(target, { gameSecret });
  const sent: Promise<void>[] = [];
  const over = performance.now() + seconds * 1000;
  let at = 0;
  for (; performance.now() < over; at++) {
    sent.push(overHttpAs(target, agent, true, method, input(), count, gameSecret));
    sent.push(overHttpAs(target, agent, false, method, input(), count, gameSecret));
    socket.send(text(`42${at}["${method}","launcher",${JSON.stringify(input())},{}]`));
    await sleep(1000 / perSecond);
  }
  await Promise.all(sent);
  await countAnswers(socket, at, count);
  await sleep(windowMs);
  agent.destroy();
}

async function overHttpAs(
  { server }: Target,
  agent: Agent,
  isDedicated: boolean,
  method: string,
  input: object,
  count: Count,
  gameSecret?: string,
): Promise<void> {
  const headers = {
    ...(gameSecret !== undefined && { Authorization: `Bearer ${gameSecret}` }),
    ...(!isDedicated && { 'X-Service-Method': method }),
  };
  const url = `${server.url}/launcher${isDedicated ? `/${kebabCase(method)}` : ''}`;
  count((await send(url, Buffer.from(JSON.stringify(input)), headers, agent)).status);
}

async function admitted({ server, address }: Target, auth: object): Promise<RawWebSocket> {
  const socket = await openRawWebSocket(server, address);
  socket.send(text(`40${JSON.stringify(auth)}`));
  while (!socket.texts.some((one) => one.startsWith('40')) && !socket.isClosed()) await sleep(10);
  return socket;
}

/** Counts the answers to this many calls on a socket; `none` for those that did not arrive. */
async function countAnswers(socket: RawWebSocket, calls: number, count: Count): Promise<void> {
  const answered = () => socket.texts.filter((one) => one.startsWith('43'));
  const over = performance.now() + answeredWithinMs;
  while (answered().length < calls && !socket.isClosed() && performance.now() < over) await sleep(100);
  const texts = answered();
  for (const one of texts) count(Number(/"code":(\d+)/.exec(one.slice(0, 1_000))?.[1] ?? 200));
  for (let at = texts.length; at < calls; at++) count('none');
}

function gameOf({ server }: Target): Promise<{ gameId: string; gameSecret: string }> {
  return overHttp({ url: server.url, adminToken }).call(createGame, { name: 'Of the attackers' });
}

/** Many players with a score each. */
async function rankedPlayers({ file, gameId }: Target): Promise<string[]> {
  const wallets = Array.from({ length: 5_000 }, randomWallet);
  const db = new SqliteDatabase(file, domain);
  await Promise.all(
    wallets.map((wallet, at) => db.write(setScore, { gameId, wallet }, (at * 7_919) % 5_000)),
  );
  await db.close();
  return wallets;
}

/** A player in 250 channels with many unread messages, and one of them where all are replies and have reactions. */
async function busyPlayer({
  server,
  file,
  gameId,
}: Target): Promise<{ launcherJwt: string; channelId: string }> {
  const wallet = randomWallet();
  const reader = { gameId, wallet };
  const { launcherJwt } = await overHttp({ url: server.url, adminToken }).call(openSession, reader);
  const senders = Array.from({ length: 3 }, () => ({ gameId, wallet: randomWallet() }));
  const db = new SqliteDatabase(file, domain);
  let channelId = '';
  for (let at = 0; at < 250; at++) {
    const sender = senders[at % senders.length] ?? reader;
    const { _id } = await db.write(createChannel, sender, [wallet, randomWallet()]);
    const first = await db.write(sendMessage, sender, _id, 'first');
    const count = at === 0 ? 1_100 : 110;
    const said = await Promise.all(
      Array.from({ length: count }, () => db.write(sendMessage, sender, _id, 'said', undefined, first._id)),
    );
    if (at > 0) continue;
    channelId = _id;
    for (const reaction of ['a', 'b', 'c', 'd'])
      await Promise.all(
        said.slice(-250).map((message) => db.write(addReactionTo, reader, message._id, reaction)),
      );
  }
  await db.close();
  return { launcherJwt, channelId };
}

function sample<One>(all: readonly One[], count: number): One[] {
  const from = Math.floor(Math.random() * (all.length - count));
  return all.slice(from, from + count);
}
