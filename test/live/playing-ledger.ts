import { io, type Socket } from 'socket.io-client';
import { playtimeOf } from '../../src/features/playtime/queries.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import type { SharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

export interface PlayingOptions {
  launchers: number;
  seconds: number;
  /** Stops the bus between the nodes for a while, during the first half. */
  interrupt?(): Promise<void>;
}

export interface PlayingCounts {
  opened: number;
  closed: number;
  crashed: number;
  slept: number;
  /** How long after the last act, and after a node was killed, every node said the right numbers, in milliseconds. */
  rightMs: number;
  rightAfterKillMs: number;
  /** Numbers below 0, or above the number of players. */
  impossible: number;
  /** The numbers that the subscriber of basement.fun's form knew last, that were wrong in the end. */
  subscriberWrong: number;
  stretches: number;
  /** The playtime of players who left in order that is off by more than a second a stretch, and the worst. */
  playtimeWrong: string[];
  worstMsPerStretch: number;
  /** The same of players whose node was killed, by more than a lease besides. */
  killedWrong: string[];
}

/** What a stretch may be off by, and what a crash of a node adds: its lease, after its last beat. */
const stretchMs = 1_000;
const crashMs = 10_000;
/** Acts of one player are this far apart, so that everyone agrees about their order. */
const actApartMs = 700;

interface Device {
  node: number;
  socket: Socket | null;
  game: string | null;
  openedAt: number;
}

class Player {
  readonly wallet: string;
  readonly token: string;
  readonly devices: Device[];
  /** When it acted last, by the monotonic clock. */
  actedAt = 0;
  isBusy = false;
  wasKilled = false;
  stretches = 0;
  /** What it has played, in milliseconds, by game. */
  readonly played = new Map<string, number>();
  #game: string | null = null;
  #since = 0;

  constructor(wallet: string, token: string, devices: Device[]) {
    this.wallet = wallet;
    this.token = token;
    this.devices = devices;
  }

  /** The game that was opened last, of those that are open. */
  get game(): string | null {
    const open = this.devices.filter(({ game }) => game !== null);
    return open.sort((one, other) => other.openedAt - one.openedAt)[0]?.game ?? null;
  }

  /** Takes note of a change of a device. */
  note(): void {
    const now = performance.now();
    const { game } = this;
    if (game === this.#game) return;
    if (this.#game !== null) {
      this.played.set(this.#game, (this.played.get(this.#game) ?? 0) + now - this.#since);
      this.stretches++;
    }
    this.#game = game;
    this.#since = now;
  }
}

/**
 * Launchers that open, switch and close games, crash and sleep, on two nodes, one of which is killed; every third player
 * has two devices. Compares what the nodes say with what the launchers did.
 */
export async function playLedger(
  data: SharedData,
  nodes: readonly [ClusterNode, ClusterNode],
  { launchers, seconds, interrupt }: PlayingOptions,
): Promise<PlayingCounts> {
  const counts: PlayingCounts = {
    ...{ opened: 0, closed: 0, crashed: 0, slept: 0, rightMs: 0, rightAfterKillMs: 0, impossible: 0 },
    ...{ subscriberWrong: 0, stretches: 0, playtimeWrong: [], worstMsPerStretch: 0, killedWrong: [] },
  };
  const launcherGame = await data.createGame({ kind: 'launcher', name: 'Launcher' });
  const games = await Promise.all(['Chess', 'Go', 'Tag'].map((name) => data.createGame({ name })));
  const players = await Promise.all(
    Array.from({ length: launchers }, async (_, at) => {
      const { wallet, launcherJwt } = await data.openSession(launcherGame);
      const shifts = at % 3 === 0 ? [0, 1] : [0];
      const devices = shifts.map((shift) => ({
        node: (at + shift) % 2,
        socket: null,
        game: null,
        openedAt: 0,
      }));
      return new Player(wallet, launcherJwt, devices);
    }),
  );
  const alive = [true, true];

  async function connected(player: Player, device: Device): Promise<Socket> {
    if (device.socket?.connected) return device.socket;
    if (!alive[device.node]) device.node = 1 - device.node; // as a balancer does
    const auth = { launcherJwt: player.token };
    const socket = io(nodes[device.node]?.url ?? '', {
      auth,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    });
    device.socket = socket;
    await new Promise((resolve, reject) =>
      socket.once('connect', () => resolve(null)).once('connect_error', reject),
    );
    return socket;
  }

  async function open(player: Player, device: Device, gameId: string | null): Promise<void> {
    const isOpen = device.socket?.connected && device.game === gameId;
    const socket = await connected(player, device);
    await new Promise((resolve, reject) =>
      socket.emit('setCurrentGame', 'launcher', { gameId }, {}, (error: unknown) =>
        error ? reject(error) : resolve(null),
      ),
    );
    if (!isOpen) device.openedAt = performance.now(); // what is open on this connection is not opened again
    device.game = gameId;
    player.note();
    if (gameId === null) counts.closed++;
    else counts.opened++;
  }

  function crash(player: Player, device: Device): void {
    rawSocketOf(device.socket)?.destroy();
    device.socket = null;
    device.game = null;
    player.note();
    counts.crashed++;
  }

  async function sleep(device: Device): Promise<void> {
    const raw = rawSocketOf(device.socket);
    raw?.pause();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    raw?.resume();
    counts.slept++;
  }

  async function act(player: Player): Promise<void> {
    const device = oneOf(player.devices);
    const chance = Math.random();
    if (device.game === null || chance < 0.35) await open(player, device, oneOf(games));
    else if (chance < 0.7) await open(player, device, null);
    else if (chance < 0.85) crash(player, device);
    else await sleep(device);
  }

  async function run(forSeconds: number): Promise<void> {
    const end = performance.now() + forSeconds * 1_000;
    const acts: Promise<void>[] = [];
    while (performance.now() < end) {
      const player = oneOf(players);
      if (!player.isBusy && performance.now() - player.actedAt > actApartMs) {
        player.isBusy = true;
        acts.push(
          act(player).finally(() => {
            player.isBusy = false;
            player.actedAt = performance.now();
          }),
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000 / launchers));
    }
    await Promise.all(acts);
  }

  const truth = () => games.map((game) => players.filter((player) => player.game === game).length).join();
  async function said({ url }: ClusterNode): Promise<string> {
    const response = await fetch(`${url}/launcher`, {
      method: 'POST',
      headers: { 'X-Service-Method': 'getGames', 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'game', limit: 100 }),
    });
    const { data: rows } = (await response.json()) as { data: { gameId: string; playing: number }[] };
    const numbers = games.map((game) => rows.find(({ gameId }) => gameId === game)?.playing ?? -1);
    if (numbers.some((playing) => playing < 0 || playing > launchers)) counts.impossible++;
    return numbers.join();
  }
  async function right(running: readonly ClusterNode[]): Promise<number> {
    const from = performance.now();
    for (const node of running) {
      await until(`${truth()} on every node`, async () => (await said(node)) === truth());
    }
    return performance.now() - from;
  }

  const watcher = await data.openSession(launcherGame);
  const subscriber = io(nodes[0].url, {
    auth: { launcherJwt: watcher.launcherJwt },
    transports: ['websocket'],
  });
  const told = new Map<string, number>();
  subscriber.on(
    'realtime-events game-stats-change',
    ({ data: stats }: { data: { gameId: string; playing: number } }) => told.set(stats.gameId, stats.playing),
  );
  subscriber.emit(
    'subscribe',
    'realtime-events',
    { channel: 'game-stats', gameIds: games, filter: 'all' },
    {},
    () => undefined,
  );

  const watching = setInterval(() => void said(nodes[0]).catch(() => undefined), 250);
  await Promise.all([run(seconds / 2), interrupt?.()]);
  counts.rightMs = await right(nodes);

  // The second node is killed. Every other of its launchers comes to the first one; those of the others end with it.
  await nodes[1].kill();
  alive[1] = false;
  for (const [at, player] of players.entries()) {
    for (const device of player.devices.filter(({ node }) => node === 1)) {
      const { game } = device;
      device.socket?.disconnect();
      device.socket = null;
      if (game === null) continue;
      player.wasKilled = true;
      if (at % 2 === 0) {
        await open(player, device, game);
        continue;
      }
      device.game = null;
      player.note();
    }
  }
  counts.rightAfterKillMs = await right([nodes[0]]);
  await run(seconds / 2);
  counts.rightMs = Math.max(counts.rightMs, await right([nodes[0]]));
  await until(
    'the subscriber told',
    () => games.every((game, at) => told.get(game) === Number(truth().split(',')[at])),
    6_000,
  ).catch(() => counts.subscriberWrong++);
  for (const player of players) {
    for (const device of player.devices) if (device.game !== null) await open(player, device, null);
  }
  await right([nodes[0]]);
  clearInterval(watching);
  await until('every stretch ended', async () => (await openCount(data, players)) === 0);
  for (const player of players) {
    for (const device of player.devices) device.socket?.disconnect();
    await compare(player);
  }
  subscriber.disconnect();
  return counts;

  async function compare(player: Player): Promise<void> {
    counts.stretches += player.stretches;
    const rows = await data.db.read(playtimeOf, player.wallet, null);
    const stored = new Map(rows.map(({ gameId, ms }) => [gameId, ms]));
    // Of each game: when a node is killed, another one is given up late, and what is open elsewhere begins late.
    const off = Math.max(
      ...games.map((game) => Math.abs((stored.get(game) ?? 0) - (player.played.get(game) ?? 0))),
    );
    const allowed = stretchMs * Math.max(1, player.stretches);
    if (!player.wasKilled) {
      counts.worstMsPerStretch = Math.max(counts.worstMsPerStretch, off / Math.max(1, player.stretches));
    }
    // Two nodes that do not hear each other both speak for a player who has a device on each.
    player.wasKilled ||= interrupt !== undefined && player.devices.length > 1;
    if (player.wasKilled && off > allowed + crashMs) counts.killedWrong.push(`${player.wallet} ${off}`);
    if (!player.wasKilled && off > allowed)
      counts.playtimeWrong.push(`${player.wallet} ${off} of ${player.stretches}`);
  }
}

async function openCount(data: SharedData, players: readonly Player[]): Promise<number> {
  let open = 0;
  for (const { wallet } of players) {
    open += (await data.db.read(playtimeOf, wallet, null)).filter(({ isPlaying }) => isPlaying).length;
  }
  return open;
}

/** How many faults there are. */
export function playingWrong({
  rightMs,
  rightAfterKillMs,
  impossible,
  subscriberWrong,
  ...counts
}: PlayingCounts): number {
  const late = Number(rightMs > 5_000) + Number(rightAfterKillMs > 5_000);
  return late + impossible + subscriberWrong + counts.playtimeWrong.length + counts.killedWrong.length;
}

function oneOf<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

interface RawSocket {
  destroy(): void;
  pause(): void;
  resume(): void;
}

/** The TCP connection of a socket, to break it or to stop reading. */
function rawSocketOf(socket: Socket | null): RawSocket | undefined {
  const transport: { ws?: { _socket?: RawSocket } } = Object(socket?.io.engine?.transport);
  return transport.ws?._socket;
}
