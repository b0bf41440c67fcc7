import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LocalPlayers, type Shown } from '../../src/cluster/players/local-players.ts';
import { neverChosen, type PlayerPart } from '../../src/cluster/players/player-part.ts';
import { PlayerReplica, tickMs } from '../../src/cluster/players/player-replica.ts';
import type { ReplicaMessage } from '../../src/cluster/players/replica-bus.ts';
import { until } from '../support/until.ts';

const ada = '0xada';
const bob = '0xbob';
const carol = '0xca401';

function partOf(changes: Partial<PlayerPart> = {}): PlayerPart {
  return {
    ...neverChosen,
    game: null,
    rich: null,
    since: 1,
    isHidden: false,
    isGameHidden: false,
    ...changes,
  };
}

/** Nodes on a bus whose messages the test can lose, and whose clock the test moves. */
class Cluster {
  readonly nodes = new Map<string, { replica: PlayerReplica; changes: string[]; isRunning: boolean }>();
  isUp = true;
  /** Those whose connection the bus says is closed. */
  readonly closed = new Set<string>();
  now = 0;
  loses: (message: ReplicaMessage, to: string) => boolean = () => false;
  readonly sent: ReplicaMessage[] = [];

  start(id: string): PlayerReplica {
    const changes: string[] = [];
    const send = (message: ReplicaMessage) => {
      const own = this.nodes.get(id);
      if (!this.isUp || own?.isRunning !== true) return;
      this.sent.push(message);
      for (const [other, { replica: receiving, isRunning }] of this.nodes) {
        // As text, so that nodes share no objects.
        if (other !== id && isRunning && !this.loses(message, other)) {
          receiving.receive(JSON.parse(JSON.stringify(message)));
        }
      }
    };
    const closedAmong = async (ids: readonly string[]) => ids.filter((other) => this.closed.has(other));
    const bus = { send, isUp: () => this.isUp, closedAmong };
    const replica = new PlayerReplica({
      nodeId: id,
      bus,
      clock: () => this.now,
      onChange: (wallet) => changes.push(wallet),
    });
    this.nodes.set(id, { replica, changes, isRunning: true });
    replica.tick();
    return replica;
  }

  /** Moves the clock, with the ticks in between. */
  pass(ms: number): void {
    const end = this.now + ms;
    while (this.now < end) {
      this.now = Math.min(end, this.now + tickMs);
      for (const { replica, isRunning } of this.nodes.values()) if (isRunning) replica.tick();
    }
  }

  /** The same, with what the bus answers in between. */
  async passSlowly(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += tickMs) {
      this.pass(tickMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  kill(id: string): void {
    const node = this.nodes.get(id);
    if (node) node.isRunning = false;
  }

  resume(id: string): void {
    const node = this.nodes.get(id);
    if (node) node.isRunning = true;
  }

  changesSeenBy(id: string): string[] {
    return this.nodes.get(id)?.changes.splice(0) ?? [];
  }
}

test('every node sees the players of all nodes, and is told of each change of what others see once', () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  one.set([[ada, partOf({ status: 'busy', statusAt: 5, text: 'raid' })]]);
  expect(other.visible(ada)).toEqual({ status: 'busy', text: 'raid', since: 5, game: null, rich: null });
  one.set([[ada, partOf({ status: 'busy', statusAt: 5, text: 'raid' })]]);
  other.set([[ada, partOf({ status: 'busy', statusAt: 5, text: 'raid', since: 9 })]]);
  expect(cluster.changesSeenBy('one')).toEqual([ada]);
  expect(cluster.changesSeenBy('other')).toEqual([ada]);
  one.set([[ada, null]]);
  expect(cluster.changesSeenBy('other')).toEqual([ada]); // only `since`: the remaining node knows a later one
  other.set([[ada, null]]);
  expect([one.visible(ada), other.visible(ada)]).toEqual([null, null]);
});

test('a player is shown by the latest status, the latest game, and what that game says on any node', () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  const rich = { details: 'level 3', values: {}, group: null, connect: 'room-1' };
  one.set([[ada, partOf({ status: 'away', statusAt: 2, game: { id: 'chess', name: 'Chess', at: 8 } })]]);
  other.set([
    [ada, partOf({ status: 'online', statusAt: 3, game: { id: 'chess', name: 'Chess', at: 4 }, rich })],
  ]);
  for (const node of [one, other]) {
    expect(node.visible(ada)).toMatchObject({ status: 'online', since: 3, game: { id: 'chess' }, rich });
  }
  one.set([[ada, partOf({ status: 'away', statusAt: 2, game: { id: 'go', name: 'Go', at: 9 } })]]);
  expect(other.visible(ada)).toMatchObject({ game: { id: 'go' }, rich: null });
  one.set([[ada, partOf({ status: 'invisible', statusAt: 10 })]]);
  expect([one.visible(ada), other.visible(ada)]).toEqual([null, null]);
});

test('a player whom one node hides is offline to others, whatever the other nodes say', () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  one.set([[ada, partOf()]]);
  other.set([[ada, partOf({ isHidden: true })]]);
  expect([one.visible(ada), other.visible(ada)]).toEqual([null, null]);
});

test('a node that starts, and one that missed changes, get all players, in parts', () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const wallets = Array.from({ length: 1_234 }, (_, at) => `0x${at}`);
  one.set(wallets.map((wallet) => [wallet, partOf()]));
  const late = cluster.start('late');
  cluster.pass(500);
  for (const wallet of wallets) expect(late.visible(wallet)).not.toBeNull();

  cluster.loses = ({ type }) => type === 'changes';
  one.set([['0x5', null]]);
  cluster.changesSeenBy('late');
  expect(late.visible('0x5')).not.toBeNull();
  cluster.pass(2_500); // a beat shows the gap
  expect(late.visible('0x5')).toBeNull();
  expect(cluster.changesSeenBy('late')).toEqual(['0x5']);
});

test('with messages lost at random, all nodes agree once messages arrive again', () => {
  const cluster = new Cluster();
  const nodes = ['one', 'two', 'three'].map((id) => cluster.start(id));
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  cluster.loses = () => random() < 0.5;
  const wallets = Array.from({ length: 20 }, (_, at) => `0x${at}`);
  for (let step = 1; step <= 400; step++) {
    const wallet = wallets[Math.floor(random() * wallets.length)] ?? '';
    const part = random() < 0.3 ? null : partOf({ status: 'busy', statusAt: step });
    nodes[step % 3]?.set([[wallet, part]]);
    if (step % 20 === 0) cluster.pass(500);
  }
  cluster.loses = () => false;
  cluster.pass(5_000);
  const seen = nodes.map((node) => wallets.map((wallet) => node.visible(wallet)));
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
});

test('after a crash nobody is shown in a game longer than the lease, and the status is remembered', () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const dying = cluster.start('dying');
  dying.set([
    [ada, partOf({ game: { id: 'chess', name: 'Chess', at: 1 } })],
    [bob, partOf({ status: 'invisible', statusAt: 4 })],
  ]);
  cluster.kill('dying');
  cluster.changesSeenBy('one');
  cluster.pass(9_000);
  expect(one.visible(ada)).not.toBeNull();
  cluster.pass(1_500);
  expect(one.visible(ada)).toBeNull();
  expect(cluster.changesSeenBy('one')).toEqual([ada]); // invisible before and after
  expect(one.choiceOf(bob)).toMatchObject({ status: 'invisible', statusAt: 4 });
  cluster.pass(601_000);
  expect(one.choiceOf(bob)).toEqual(neverChosen);
});

test('a status chosen on a node while the bus was down, and left with it, holds on the others', () => {
  const cluster = new Cluster();
  const left = cluster.start('left');
  const staying = cluster.start('staying');
  const watching = cluster.start('watching');
  staying.set([[ada, partOf({ status: 'online', statusAt: 1 })]]);
  cluster.isUp = false;
  cluster.pass(1_000);
  left.set([[ada, partOf({ status: 'invisible', statusAt: 2 })]]);
  left.set([[ada, null]]);
  cluster.isUp = true;
  cluster.pass(3_000);
  for (const node of [left, staying, watching]) {
    expect(node.visible(ada)).toBeNull();
    expect(node.choiceOf(ada)).toMatchObject({ status: 'invisible', statusAt: 2 });
  }
});

test('a node that has ended, as the bus says, is dropped within five seconds; one that is only silent or that speaks is not', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  for (const [id, wallet] of [
    ['ended', ada],
    ['stalled', bob],
    ['speaking', carol],
  ] as const) {
    cluster.start(id).set([[wallet, partOf()]]);
  }
  cluster.pass(2_000);
  cluster.kill('ended');
  cluster.kill('stalled');
  for (const id of ['ended', 'speaking']) cluster.closed.add(id);
  await cluster.passSlowly(2_500);
  expect(one.visible(ada)).not.toBeNull(); // its players may come to another node meanwhile
  await cluster.passSlowly(2_000);
  expect([ada, bob, carol].map((wallet) => one.visible(wallet) !== null)).toEqual([false, true, true]);
  cluster.resume('stalled');
  cluster.changesSeenBy('one');
  await cluster.passSlowly(10_000);
  expect(cluster.changesSeenBy('one')).toEqual([]);
});

test.each([
  { outageMs: 8_000, lateMs: 1_000 },
  { outageMs: 60_000, lateMs: 500 }, // its lease has expired
])(
  'a node that connects again $lateMs ms after an outage of the bus of $outageMs ms is not dropped for that',
  async ({ outageMs, lateMs }) => {
    const cluster = new Cluster();
    const one = cluster.start('one');
    cluster.start('other').set([[bob, partOf()]]);
    cluster.changesSeenBy('one');
    cluster.closed.add('other');
    cluster.isUp = false;
    await cluster.passSlowly(outageMs);
    cluster.isUp = true;
    cluster.kill('other');
    await cluster.passSlowly(lateMs);
    cluster.resume('other');
    await cluster.passSlowly(10_000);
    expect(cluster.changesSeenBy('one')).toEqual([]);
    expect(one.visible(bob)).not.toBeNull();
  },
);

test('the players of a node that stops stay for five seconds, so that those who reconnect do not flicker', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const stopping = cluster.start('stopping');
  stopping.set([
    [ada, partOf()],
    [bob, partOf()],
  ]);
  cluster.changesSeenBy('one');
  stopping.goodbye();
  stopping.set([[ada, null]]); // its connections end
  cluster.kill('stopping');
  cluster.closed.add('stopping');
  one.set([[ada, partOf({ since: one.onlineSince(ada) ?? 0 })]]);
  await cluster.passSlowly(4_500);
  expect(cluster.changesSeenBy('one')).toEqual([]);
  cluster.pass(1_000);
  expect(cluster.changesSeenBy('one')).toEqual([bob]);
  expect(one.visible(ada)).not.toBeNull();
});

test('while the bus is down nobody is dropped, and within a second of its return everybody is right', () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  one.set([[ada, partOf()]]);
  other.set([[bob, partOf()]]);
  cluster.start('crashed').set([[carol, partOf()]]);
  cluster.isUp = false;
  cluster.kill('crashed');
  cluster.pass(60_000);
  for (const wallet of [bob, carol]) expect(one.visible(wallet)).not.toBeNull();
  one.set([[ada, null]]);
  other.set([[bob, partOf({ status: 'busy', statusAt: 3 })]]);
  cluster.isUp = true;
  // The nodes subscribe one after the other: what is sent first is lost.
  const from = cluster.now;
  cluster.loses = () => cluster.now - from <= tickMs;
  cluster.changesSeenBy('one');
  cluster.pass(1_000);
  expect(other.visible(ada)).toBeNull();
  expect(one.visible(bob)).toMatchObject({ status: 'busy' });
  expect(one.visible(carol)).toBeNull();
  expect(cluster.changesSeenBy('one').toSorted()).toEqual([bob, carol].toSorted()); // once each
});

test('a node that was paused drops nobody, and is seen again as soon as it continues', () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const paused = cluster.start('paused');
  one.set([[ada, partOf()]]);
  paused.set([[bob, partOf()]]);
  cluster.kill('paused');
  cluster.pass(30_000);
  expect(one.visible(bob)).toBeNull();
  cluster.resume('paused');
  cluster.changesSeenBy('paused');
  cluster.pass(500);
  expect(cluster.changesSeenBy('paused')).toEqual([]);
  expect(one.visible(bob)).not.toBeNull();
});

/** The players of a node, with the clock of their database. */
function playersOf(
  replica: PlayerReplica,
  options: { now?: number; shown?: Shown; isBusAnswering?: () => Promise<boolean> } = {},
) {
  const settings = {
    now: 1_000,
    shown: { presence: true, game: true },
    isBusAnswering: async () => true,
    ...options,
  };
  const local = new LocalPlayers({
    replica,
    now: () => settings.now,
    isBusAnswering: settings.isBusAnswering,
    shownOf: async () => settings.shown,
    report: (thrown) => {
      throw thrown;
    },
  });
  return { local, settings };
}

test('the same status, chosen again, holds against another one that this node does not know of yet', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  const here = playersOf(one, { now: 1_000 });
  const there = playersOf(other, { now: 2_000 });
  here.local.connect(ada, null, { status: 'invisible', text: '' });
  await until('the choice', () => other.choiceOf(ada).status === 'invisible');
  there.local.connect(ada, null, null);
  await until('the connection', () => one.isElsewhere(ada));
  cluster.isUp = false;
  await there.local.choose(ada, { status: 'online', text: '' });
  here.settings.now = 3_000;
  await here.local.choose(ada, { status: 'invisible', text: '' });
  cluster.isUp = true;
  cluster.pass(3_000);
  expect([one.visible(ada), other.visible(ada)]).toEqual([null, null]);
});

test('a status is acknowledged once other nodes have been sent it, also after an outage of the bus', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  const { local } = playersOf(one, { isBusAnswering: async () => cluster.isUp });
  playersOf(other).local.connect(ada, null, { status: 'online', text: '' });
  await until('the connection', () => one.isElsewhere(ada));
  local.connect(ada, null, null);
  cluster.isUp = false;
  let isAcknowledged = false;
  const chosen = local.choose(ada, { status: 'busy', text: '' }).then(() => {
    isAcknowledged = true;
  });
  await until('the choice', () => one.visible(ada)?.status === 'busy');
  await setTimeout(300);
  expect([isAcknowledged, other.visible(ada)?.status]).toEqual([false, 'online']);
  cluster.isUp = true;
  await setTimeout(300);
  expect(isAcknowledged).toBe(false); // nothing has been exchanged yet
  cluster.pass(1_000);
  await chosen;
  cluster.kill('one');
  cluster.pass(20_000);
  expect(other.visible(ada)?.status).toBe('busy');
});

test('a status is acknowledged after five seconds if other nodes cannot be reached', async () => {
  const { local } = playersOf(new Cluster().start('one'), { isBusAnswering: async () => false });
  local.connect(ada, null, null);
  const from = performance.now();
  await local.choose(ada, { status: 'busy', text: '' });
  expect(performance.now() - from).toBeGreaterThan(4_900);
});

test('a flood of changes reaches other nodes as a few, with the last state', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  const { local } = playersOf(one);
  const connection = local.connect(ada, { id: 'chess', name: 'Chess' }, null);
  for (let at = 0; at < 5_000; at++) {
    local.describe(ada, connection, { details: `move ${at}`, values: {}, group: null, connect: '' });
    if (at % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await until('the last state', () => other.visible(ada)?.rich?.details === 'move 4999');
  expect(cluster.sent.filter(({ type }) => type === 'changes').length).toBeLessThan(5);
});

test('an invisible player who reconnects, here or elsewhere, is never shown in between', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  const here = playersOf(one);
  const there = playersOf(other, { now: -19_000 }); // its clock is 20 s behind
  const first = here.local.connect(ada, null, { status: 'invisible', text: '' });
  await until('known', () => other.choiceOf(ada).status === 'invisible');
  here.local.disconnect(ada, first);
  await until('gone', () => !other.isElsewhere(ada));
  const second = there.local.connect(ada, { id: 'chess', name: 'Chess' }, null);
  await until('known', () => one.isElsewhere(ada));
  // Another device that has not heard of it does not undo it, until the player says so.
  here.local.connect(ada, null, { status: 'online', text: '' });
  await until('both', () => other.isElsewhere(ada));
  expect([...cluster.changesSeenBy('one'), ...cluster.changesSeenBy('other')]).toEqual([]);
  there.local.choose(ada, { status: 'away', text: 'tea' });
  await until('shown', () => one.visible(ada)?.status === 'away');
  expect(one.visible(ada)).toMatchObject({ text: 'tea', game: { id: 'chess' } });
  there.local.disconnect(ada, second);
  await until('gone there', () => one.visible(ada)?.game === null);
  expect(one.visible(ada)).toMatchObject({ status: 'away' });
});

test('a status counts although its player leaves at once', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const other = cluster.start('other');
  const { local } = playersOf(one);
  playersOf(other).local.connect(ada, null, { status: 'busy', text: '' });
  await until('busy', () => one.visible(ada)?.status === 'busy');
  const connection = local.connect(ada, null, null);
  local.choose(ada, { status: 'away', text: '' });
  local.disconnect(ada, connection);
  await until('away', () => one.visible(ada)?.status === 'away');
  expect(other.visible(ada)).toMatchObject({ status: 'away' });
});

test('privacy settings hide a player, or only the game, from the next refresh on', async () => {
  const cluster = new Cluster();
  const one = cluster.start('one');
  const { local, settings } = playersOf(one);
  local.connect(ada, { id: 'chess', name: 'Chess' }, null);
  await until('playing', () => one.visible(ada)?.game);
  settings.shown = { presence: true, game: false };
  local.refresh(ada);
  await until('without the game', () => one.visible(ada)?.game === null);
  settings.shown = { presence: false, game: true };
  local.refresh(ada);
  await until('hidden', () => one.visible(ada) === null);
});

test('after the node has begun to end, no settings are read, and a read that fails is no fault', async () => {
  const replica = new Cluster().start('one');
  const reads: string[] = [];
  const faults: unknown[] = [];
  const failing = Promise.withResolvers<Shown>();
  const local = new LocalPlayers({
    replica,
    now: () => 1,
    isBusAnswering: null,
    shownOf(wallet) {
      reads.push(wallet);
      return failing.promise;
    },
    report: (thrown) => faults.push(thrown),
  });
  local.connect(ada, null, null);
  await until('ada is read', () => reads.length === 1);
  local.connect(bob, null, null);
  local.close();
  const closed = new LocalPlayers({
    replica,
    now: () => 1,
    isBusAnswering: async () => true,
    shownOf: (wallet) => Promise.reject(new Error(`${wallet} was read`)),
    report: (thrown) => faults.push(thrown),
  });
  closed.connect(carol, null, null);
  const choosing = closed.choose(carol, { status: 'away', text: '' });
  closed.close();
  failing.reject(new Error('the database is closed'));
  await expect(choosing).rejects.toMatchObject({ reason: 'not_ready' });
  expect([reads, faults]).toEqual([[ada], []]);
});
