import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GantryClient } from '../../../src/sdk/client/client.ts';
import { answer } from '../loads/answer.ts';
import { stateOfBytes } from '../state-of-bytes.ts';
import { type DayJob, dayJob, type Sample } from './jobs.ts';

/** A process that holds all launchers of a day, and has some of them play. */

/** Concurrent handshakes while the day is prepared; a storm opens all at once. */
const connectingAtOnce = 100;
/** A player acts once per this many seconds, on average. */
const actionEverySeconds = 4;
const stateBytes = 2048;
/** How long after the last message it must have been received everywhere, in milliseconds. */
const lastHeardMs = 5_000;

/** A message's prefix, which identifies it and its sending time to recipients. */
interface Told {
  n: number;
  at: number;
}

let url = '';
let tokens: readonly string[] = [];
const launchers: GantryClient[] = [];
let received: (n: number, at: number) => void = () => {};

answer(async (message) => {
  const job = dayJob.parse(message);
  switch (job.kind) {
    case 'connect':
      ({ url, tokens } = job);
      await connectAll(job.followers);
      return 'done';
    case 'play':
      return play(job);
    case 'end':
      for (const launcher of launchers) launcher.close();
      return 'done';
  }
});

async function connectAll(followers: number): Promise<void> {
  for (let start = 0; start < tokens.length; start += connectingAtOnce) {
    const some = tokens.slice(start, start + connectingAtOnce).map((_, at) => connect(start + at));
    await Promise.all(some.map((launcher) => launcher.ready()));
  }
  await Promise.all(launchers.slice(0, followers).map((launcher) => launcher.subscribe()));
}

/** The launcher at this index connects, with its cursors if it was connected before. */
function connect(at: number): GantryClient {
  const before = launchers[at];
  before?.close();
  const launcherJwt = tokens[at] ?? '';
  const launcher = new GantryClient({ url, launcherJwt, ...(before && { cursors: before.cursors }) });
  launcher.on('chat-messages created', ({ content }) => {
    const { n, at: sentAt }: Told = JSON.parse(content.slice(0, content.indexOf('}') + 1));
    received(n, sentAt);
  });
  launchers[at] = launcher;
  return launcher;
}

async function play({ seconds, gameId, players, channels, storms }: Extract<DayJob, { kind: 'play' }>) {
  const samples: Sample[] = [];
  const failures: Record<string, number> = {};
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  let expected = 0;
  let arrived = 0;
  let sent = 0;
  received = (_, sentAt) => {
    arrived++;
    samples.push({ kind: 'delivery', at: (sentAt - startedAt) / 1000, ms: performance.now() - sentAt });
  };
  const timed = async (kind: Sample['kind'], work: () => Promise<unknown>) => {
    const at = elapsed();
    const sentAt = performance.now();
    try {
      await work();
      samples.push({ kind, at, ms: performance.now() - sentAt });
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failures[reason] = (failures[reason] ?? 0) + 1;
      return false;
    }
  };
  const state = stateOfBytes(stateBytes);
  const say = async (player: number, launcher: GantryClient) => {
    const own = channels.filter(({ members }) => members.includes(player));
    const channel = own[Math.floor(Math.random() * own.length)];
    if (!channel) return;
    const told: Told = { n: sent++, at: performance.now() };
    const content = `${JSON.stringify(told)} how is everybody?`;
    const input = { channelId: channel.id, content };
    if (await timed('call', () => launcher.call('sendChannelMessage', input)))
      expected += channel.members.length;
  };
  const act = async (player: number, scores: { last: number }) => {
    const launcher = launchers[player];
    if (!launcher) return;
    const what = Math.random();
    if (what < 0.4) await timed('call', () => launcher.call('setUserScore', { score: ++scores.last }));
    else if (what < 0.55) await timed('call', () => launcher.call('setState', { label: 'save', state }));
    else if (what < 0.7) await timed('call', () => launcher.call('channelHeartbeat', {}));
    else if (what < 0.85) await say(player, launcher);
    else if (what < 0.95)
      await timed('call', () => launcher.call('getGameScoresLeaderboard', { gameId, limit: 50 }));
    else
      await timed('call', () => launcher.call('trackGameSessions', { sessionId: randomUUID(), state: '{}' }));
  };
  const playOn = async (player: number) => {
    const scores = { last: player };
    while (elapsed() < seconds) {
      await sleep(Math.random() * 2 * actionEverySeconds * 1000);
      await act(player, scores);
    }
  };
  const storm = async ({ at, count }: { at: number; count: number }) => {
    await sleep(at * 1000);
    // Those who do not play: a player's calls while disconnected are not measured here.
    const away = Array.from({ length: count }, (_, index) => players + index);
    const from = performance.now();
    await Promise.all(away.map((index) => connect(index).ready()));
    return performance.now() - from;
  };
  const [stormMs] = await Promise.all([
    Promise.all(storms.map(storm)),
    Promise.all(Array.from({ length: players }, (_, player) => playOn(player))),
  ]);
  const until = performance.now() + lastHeardMs;
  while (arrived < expected && performance.now() < until) await sleep(50);
  return { samples, stormMs, expected, arrived, failures };
}
