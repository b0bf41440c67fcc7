import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startApache } from '../support/apache.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { startHaproxy } from '../support/haproxy.ts';
import { type ListeningClient, listen } from '../support/listening-client.ts';
import { startNginx } from '../support/nginx.ts';
import type { TestProxy } from '../support/proxy-process.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

/** The proxies as Gantry ships their configuration, in front of one node. */
export const proxies: Record<string, (nodePort: number) => Promise<TestProxy>> = {
  nginx: (nodePort) => startNginx([nodePort]),
  HAProxy: startHaproxy,
  Apache: startApache,
};

export interface IdleOptions {
  /** Players, each with a live socket and a connection of its own for calls. */
  players: number;
  /** Every player calls this often, and then pauses; the node is restarted and later killed in between. */
  bursts: number;
  callsPerBurst: number;
  /** How long a pause is at least, in milliseconds. */
  pauseMs: number;
  /** Further environment variables of the node. */
  variables?: Record<string, string>;
}

export interface IdleCounts {
  calls: number;
  /** Calls by status while the node was up; 0: the connection was lost without a response. */
  statuses: Record<string, number>;
  /** Calls that began or ended while the node was being restarted, by status. */
  whileRestarting: Record<string, number>;
  /** Live connections after the first of each player. */
  reconnects: number;
  /** Events of acknowledged calls that their player did not receive. */
  missed: number;
  repeated: number;
  outOfOrder: number;
  seconds: number;
}

/** How much longer than `pauseMs` a pause may be. */
const jitterMs = 10;

/** Calls and live sockets through a proxy that reuses its connections, with idle pauses and restarts of the node. */
export async function runIdleConnections(
  start: (nodePort: number) => Promise<TestProxy>,
  { players: count, bursts, callsPerBurst, pauseMs, variables }: IdleOptions,
): Promise<IdleCounts> {
  const began = performance.now();
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path, TRUST_PROXY: 'loopback', ...variables });
  await using proxy = await start(node.port);
  const gameId = await data.createGame();
  const players: Player[] = [];
  for (let number = 0; number < count; number++) {
    players.push(new Player(proxy.url, await data.openSession(gameId)));
  }
  const counts = { statuses: {}, whileRestarting: {} };
  let restarts = 0;
  let restarting: Promise<void> | null = null;
  const restart = async (end: () => Promise<unknown>) => {
    restarts++;
    restarting = end().then(() => node.start());
    await restarting;
    restarting = null;
  };
  const call = async (player: Player) => {
    const before = { restarts, restarting };
    const status = await player.notifyItself();
    const isCountedApart = before.restarting !== null || before.restarts !== restarts;
    const counted: Record<string, number> = isCountedApart ? counts.whileRestarting : counts.statuses;
    counted[status] = (counted[status] ?? 0) + 1;
    if (status !== 200) await restarting;
  };
  try {
    await Promise.all(players.map(({ listening }) => listening.ready()));
    for (let burst = 1; burst <= bursts; burst++) {
      const calling = players.map(async (player) => {
        for (let number = 0; number < callsPerBurst; number++) await call(player);
        await new Promise((resolve) => setTimeout(resolve, pauseMs + Math.random() * jitterMs));
      });
      if (burst === Math.ceil(bursts / 3)) await restart(() => node.stop());
      if (burst === Math.ceil((2 * bursts) / 3)) await restart(() => node.kill());
      await Promise.all(calling);
    }
    await until('every event', () => players.every((player) => player.missed() === 0)).catch(
      () => undefined, // counted below
    );
    const sum = (of: (player: Player) => number) => players.reduce((total, player) => total + of(player), 0);
    return {
      calls: count * bursts * callsPerBurst,
      ...counts,
      reconnects: sum(({ listening }) => listening.connections() - 1),
      missed: sum((player) => player.missed()),
      repeated: sum(({ messages }) => messages.length - new Set(messages).size),
      outOfOrder: sum(({ messages }) => messages.filter((one, at) => one < (messages[at - 1] ?? 0)).length),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    for (const player of players) player.close();
  }
}

/** A player with a live socket, and a kept connection for calls, both to the proxy. */
class Player {
  readonly listening: ListeningClient;
  /** Closes its own idle connections long before a proxy does, after 5 s or more: only those behind it are tested. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, timeout: 1_500 });
  readonly #url: string;
  readonly #launcherJwt: string;
  readonly #acknowledged: number[] = [];
  #last = 0;

  constructor(url: string, { launcherJwt }: TestPlayer) {
    this.#url = `${url}/launcher/send-notification`;
    this.#launcherJwt = launcherJwt;
    this.listening = listen({ url, launcherJwt });
  }

  /** The numbers of the notifications it has received. */
  get messages(): number[] {
    const notifications = this.listening.received.filter(({ name }) => name === 'notifications created');
    return notifications.map(({ record }) => Number(record.message));
  }

  missed(): number {
    const received = new Set(this.messages);
    return this.#acknowledged.filter((number) => !received.has(number)).length;
  }

  /** Sends itself a notification; resolves with the status. */
  async notifyItself(): Promise<number> {
    const number = ++this.#last;
    const status = await this.#post({
      launcherJwt: this.#launcherJwt,
      message: `${number}`,
      type: 'success',
    });
    if (status === 200) this.#acknowledged.push(number);
    return status;
  }

  #post(input: object): Promise<number> {
    return new Promise((resolve) => {
      const sent = request(
        this.#url,
        { method: 'POST', agent: this.#agent, headers: { 'Content-Type': 'application/json' } },
        (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
          response.once('error', () => resolve(0));
        },
      );
      sent.once('error', () => resolve(0));
      sent.end(JSON.stringify(input));
    });
  }

  close(): void {
    this.listening.close();
    this.#agent.destroy();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { proxy: { type: 'string' }, 'keep-alive-seconds': { type: 'string' } },
  });
  const keepAlive = values['keep-alive-seconds'];
  for (const [name, start] of Object.entries(proxies)) {
    if (values.proxy !== undefined && values.proxy !== name) continue;
    const counts = await runIdleConnections(start, {
      players: 200,
      bursts: 10,
      callsPerBurst: 5,
      pauseMs: 6_000,
      ...(keepAlive !== undefined && { variables: { KEEP_ALIVE_SECONDS: keepAlive } }),
    });
    process.stdout.write(`${JSON.stringify({ proxy: name, ...counts })}\n`);
    const isRight = Object.keys(counts.statuses).join() === '200' && counts.missed + counts.repeated === 0;
    if (!isRight) process.exitCode = 1;
  }
}
