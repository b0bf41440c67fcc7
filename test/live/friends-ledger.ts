import type { FriendPresence } from '../../src/features/friends/presence.ts';
import { befriend } from '../support/befriend.ts';
import type { SharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import {
  type FriendsTruth,
  invitesShownBy,
  launchersWrong,
  listShownBy,
  readFriends,
} from './friends-book.ts';
import { LauncherDevice } from './launcher-device.ts';
import type { LedgerClient } from './ledger-book.ts';
import { attempt } from './message-sender.ts';

export interface FriendsOptions {
  players: number;
  /** Calls and changes of presence. */
  actsPerSecond: number;
}

export interface FriendsCounts {
  /** Calls that were answered, and of these the refused ones: others were faster. */
  friendCalls: number;
  friendCallsRefused: number;
  /** Events of the players' account streams. */
  friendEvents: number;
  friendships: number;
  /** Pairs of players whose rows contradict each other. */
  pairsApart: number;
  /** Launchers whose lists, kept by the events they received, are not those of the database. */
  listsWrong: number;
  /** Statuses chosen, games opened or closed, devices switched on or off or cut off. */
  presenceChanges: number;
  /** What devices were told of friends. */
  presenceTold: number;
  /** How long after everything was back every device showed its friends right, in milliseconds. */
  presenceRightMs: number;
  presenceWrong: string[];
  /** Players who left while their node was down, and devices that showed one of them after the lease. */
  leftWithNode: number;
  shownAfterLease: number;
  /** Invisible players of whom a device was told more than that they are offline. */
  invisibleShown: number;
}

/** How many faults there are. */
export function friendsWrong(counts: FriendsCounts): number {
  const { pairsApart, listsWrong, presenceWrong, shownAfterLease, invisibleShown, presenceRightMs } = counts;
  const isLate = presenceRightMs > rightWithinMs;
  return pairsApart + listsWrong + presenceWrong.length + shownAfterLease + invisibleShown + Number(isLate);
}

/** What befalls the nodes and Redis. */
export interface Disasters {
  nodeKilled(url: string): void;
  redisAway(): void;
  redisBack(): void;
  /** Everything is back. */
  allBack(): void;
}

export interface FriendsLedger extends Disasters {
  clients: readonly LedgerClient[];
  /**
   * Resolves when everything is back, all devices have shown their friends right, and players whose node was killed
   * have been given their lease.
   */
  stopped(): Promise<void>;
  counts(): Promise<FriendsCounts>;
}

/** Friends are made within groups of this many. */
const groupSize = 10;
/** How long after everything is back presence may be wrong. */
const rightWithinMs = 2_000;
/** When a killed node's players are gone: the lease of a node, and what detecting and sending it takes. */
const leaseMs = 10_000 + 1_500;
/** Choices of one player are this far apart, so that nobody can mistake their order. */
const choiceApartMs = 500;

interface FriendPlayer {
  wallet: string;
  launcherJwt: string;
  devices: LauncherDevice[];
  group: FriendPlayer[];
  choice: { status: string; text: string } | null;
  choseAt: number;
  isUnsent: boolean;
  /** Since when everyone must see the player offline; null: not invisible. */
  invisibleSince: number | null;
  /** When a node was killed that the player was connected to: what that node said of the player holds for the lease. */
  leftBehindAt: number;
  isBusy: boolean;
}

/** What a player does, perhaps about another one. */
type Act = (player: FriendPlayer, other: FriendPlayer) => Promise<void>;

/** Players with launchers who become friends and part again, invite each other, come, go and play. */
export async function startFriends(
  data: SharedData,
  urls: readonly string[],
  { players: count, actsPerSecond }: FriendsOptions,
): Promise<FriendsLedger> {
  const launcher = await data.createGame({ kind: 'launcher', name: 'Launcher' });
  const games = await Promise.all(['Chess', 'Go'].map((name) => data.createGame({ name })));
  const counts = {
    ...{ friendCalls: 0, friendCallsRefused: 0, presenceChanges: 0, presenceTold: 0, presenceRightMs: 0 },
    ...{ leftWithNode: 0, shownAfterLease: 0, invisibleShown: 0 },
  };
  let presenceWrong: string[] = [];
  let redisBackAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  let calls = 0;
  const underWay = new Set<Promise<void>>();

  /** Whether the nodes agree for this long already. */
  const isQuiet = (ms: number) => performance.now() - redisBackAt > ms;

  const players: FriendPlayer[] = await Promise.all(
    Array.from({ length: count }, async () => ({
      ...(await data.openSession(launcher)),
      ...{ devices: [], group: [], choice: null, choseAt: 0, invisibleSince: null },
      ...{ isUnsent: false, isBusy: false },
      leftBehindAt: Number.NEGATIVE_INFINITY,
    })),
  );
  const byWallet = new Map(players.map((player) => [player.wallet, player]));
  const seen = (friend: FriendPresence) => {
    counts.presenceTold++;
    const { invisibleSince = null, leftBehindAt = 0 } = byWallet.get(friend.wallet) ?? {};
    const now = performance.now();
    if (friend.status === 'offline' || invisibleSince === null || now - invisibleSince < rightWithinMs)
      return;
    // A node that is killed as it answers may not have told the others yet: they wait for its lease.
    if (now - leftBehindAt > leaseMs && isQuiet(rightWithinMs)) counts.invisibleShown++;
  };
  for (const [at, player] of players.entries()) {
    const first = at - (at % groupSize);
    player.group = players.slice(first, first + groupSize).filter((other) => other !== player);
    // Every third one has a second device, at the other node.
    for (const shift of at % 3 === 0 ? [0, 1] : [0]) {
      const url = urls[(at + shift) % urls.length] ?? '';
      player.devices.push(new LauncherDevice(url, player, seen));
    }
  }
  const devices = players.flatMap((player) => player.devices);
  for (const device of devices) device.open();
  await Promise.all(devices.map((device) => device.ready()));
  for (const device of devices) device.resyncs.length = 0;
  for (const player of players) {
    for (const { wallet } of player.group.filter(() => Math.random() < 0.2)) {
      await befriend(data.db, launcher, player.wallet, wallet).catch(() => undefined); // they are friends already
    }
    if (Math.random() < 0.5) await player.devices[0]?.openGame(games[0] ?? null);
  }

  async function call({ launcherJwt }: FriendPlayer, path: string, body: object): Promise<void> {
    for (;;) {
      const answer = await attempt(`${urls[calls++ % urls.length]}/launcher/${path}`, {
        launcherJwt,
        ...body,
      });
      if (typeof answer !== 'string') {
        counts.friendCalls++;
        if (answer.status >= 500) throw new Error(JSON.stringify(answer.body));
        if (answer.status !== 200) counts.friendCallsRefused++;
        return;
      }
      await pause(50);
    }
  }

  async function choose(player: FriendPlayer, status: string, reopened?: LauncherDevice): Promise<void> {
    // A handshake on its way could bring the former choice after the new one.
    if (!player.devices.every((device) => device.isSettled)) return;
    if (performance.now() - player.choseAt < choiceApartMs) return;
    player.invisibleSince = null;
    player.choice = { status, text: status === 'away' ? `since act ${counts.presenceChanges}` : '' };
    counts.presenceChanges++;
    const tell = async (device: LauncherDevice | undefined) => {
      while (device && !reopened) {
        await device.sayStatus();
        if (device.isSettled) return;
        await settled(device);
      }
    };
    if (reopened) {
      reopened.leave();
      reopened.open();
      await settled(reopened);
    } else {
      const device = player.devices.find(({ isOpen }) => isOpen);
      player.isUnsent = !device;
      await tell(device);
    }
    player.choseAt = performance.now();
    if (status === 'invisible') player.invisibleSince = player.choseAt;
  }

  /** What players do, each as often as it is listed. */
  const acts: Act[] = [
    ...often(6, (player, { wallet }) => call(player, 'add-friend', { wallet, message: 'Hello' })),
    ...often(6, async (player, { wallet }) => {
      const asking = some(
        [...listShownBy(player.devices[0])].filter(([, { state }]) => state === 'received'),
      ) ?? [wallet];
      await call(player, 'accept-friend-request', { wallet: asking[0] });
    }),
    ...often(1, (player, { wallet }) => call(player, 'decline-friend-request', { wallet })),
    ...often(2, (player, { wallet }) => call(player, 'remove-friend', { wallet })),
    ...often(2, (player, { wallet }) =>
      call(player, 'update-friend', { wallet, favorite: Math.random() < 0.5, note: `act ${calls}` }),
    ),
    ...often(1, async (player, { wallet }) => {
      await call(player, 'block-player', { wallet });
      await pause(200);
      await call(player, 'unblock-player', { wallet });
    }),
    ...often(3, (player, { wallet }) =>
      call(player, 'send-invite', {
        wallets: [wallet],
        gameId: some(games),
        connect: 'room',
        message: 'Come',
      }),
    ),
    ...often(2, async (player) => {
      const invite = some([...invitesShownBy(player.devices[0]).values()]);
      if (!invite) return;
      const { inviteId, from } = invite;
      if (from === player.wallet) await call(player, 'cancel-invite', { inviteId });
      else await call(player, 'respond-to-invite', { inviteId, accept: Math.random() < 0.5 });
    }),
    ...often(2, (player) =>
      call(player, 'set-privacy', {
        presence: Math.random() < 0.25 ? 'nobody' : 'friends',
        showGame: Math.random() < 0.75,
        invites: Math.random() < 0.25 ? 'nobody' : 'friends',
      }),
    ),
    ...often(3, (player) => choose(player, some(['online', 'away', 'busy', 'invisible']) ?? 'online')),
    ...often(1, (player) => choose(player, 'invisible', some(player.devices))),
    ...often(3, async (player) => {
      counts.presenceChanges++;
      const [device] = player.devices;
      if (device?.isOpen) await device.openGame(device.game === null ? (some(games) ?? null) : null);
    }),
    ...often(1, async ({ devices: owned }) => {
      counts.presenceChanges++;
      some(owned)?.break();
    }),
    ...often(2, async ({ devices: owned }) => {
      counts.presenceChanges++;
      const device = some(owned);
      if (device?.isOpen) device.leave();
      else device?.open();
    }),
  ];

  async function act(player: FriendPlayer): Promise<void> {
    player.isBusy = true;
    const other = some(player.group);
    if (other) await some(acts)?.(player, other);
    player.isBusy = false;
  }

  /** A player is switched off with the node, and must be gone after its lease. */
  async function leaveWithNode(player: FriendPlayer): Promise<void> {
    player.isBusy = true;
    const killedAt = performance.now();
    for (const device of player.devices) device.leave();
    await until(
      'the lease, while the nodes agree',
      () => isStopped || (performance.now() - killedAt > leaseMs && isQuiet(2 * rightWithinMs)),
    );
    if (!isStopped) {
      counts.leftWithNode++;
      counts.shownAfterLease += devices.filter((device) => device.view?.has(player.wallet)).length;
    }
    player.isBusy = false;
  }

  function keep(promise: Promise<void>): void {
    const kept = promise.finally(() => underWay.delete(kept));
    underWay.add(kept);
  }

  const stop = Promise.withResolvers<void>();
  const from = performance.now();
  let acted = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - from) / 1000) * actsPerSecond;
    while (acted < due) {
      acted++;
      const player = some(players);
      if (player && !player.isBusy) keep(act(player));
    }
  }, 20);

  async function end(): Promise<void> {
    clearInterval(timer);
    isStopped = true;
    await Promise.all(underWay);
    await until('all devices settled', () => devices.every((device) => device.isSettled));
    const truth = await readFriends(
      data.db,
      players.map(({ wallet }) => wallet),
    );
    const backAt = performance.now();
    const isLeft = ({ leftBehindAt }: FriendPlayer) => performance.now() - leftBehindAt < leaseMs;
    const wrong = (isExcused: (player: FriendPlayer) => boolean) => wronglyShown(players, truth, isExcused);
    await until('presence right', () => wrong(isLeft).length === 0, 8 * rightWithinMs).catch(() => undefined);
    presenceWrong = wrong(isLeft);
    counts.presenceRightMs = Math.round(performance.now() - backAt);
    await until('the lease of killed nodes', () => !players.some(isLeft));
    presenceWrong.push(...wrong(() => false));
    for (const device of devices) device.open();
    await until('all devices settled', () => devices.every((device) => device.isSettled));
  }

  return {
    clients: players.flatMap(({ wallet, devices: own }) =>
      own.map((listening) => ({ player: { wallet, gameId: null }, listening })),
    ),
    nodeKilled(url) {
      const now = performance.now();
      const wasThere = (device: LauncherDevice) =>
        (urls.length === 1 || device.url === url) && (device.view !== null || now - device.liveAt < 1_000);
      const there = players.filter((player) => player.devices.some(wasThere));
      for (const player of there) player.leftBehindAt = now;
      for (const player of there.filter(({ isBusy }) => !isBusy).slice(0, count / 12)) {
        keep(leaveWithNode(player));
      }
    },
    redisAway() {
      redisBackAt = Number.POSITIVE_INFINITY;
    },
    redisBack() {
      redisBackAt = performance.now();
    },
    allBack: () => stop.resolve(end()),
    stopped: () => stop.promise,
    async counts() {
      const truth = await readFriends(
        data.db,
        players.map(({ wallet }) => wallet),
      );
      return {
        ...counts,
        presenceWrong,
        friendEvents: truth.events,
        friendships: truth.friendships,
        pairsApart: truth.pairsApart,
        listsWrong: launchersWrong(players, truth),
      };
    },
  };
}

/** What devices show of players otherwise than it is. `isExcused`: only the status counts, while it is shown. */
function wronglyShown(
  players: readonly FriendPlayer[],
  truth: FriendsTruth,
  isExcused: (player: FriendPlayer) => boolean,
): string[] {
  const wrong: string[] = [];
  for (const watching of players) {
    for (const player of watching.group) {
      const isFriend = truth.lists.get(watching.wallet)?.get(player.wallet)?.state === 'friend';
      const should = isFriend ? presenceOf(player, truth) : null;
      for (const { view } of watching.devices.filter(({ isOpen }) => isOpen)) {
        const shown = view?.get(player.wallet);
        const does = shown
          ? { status: shown.status, text: shown.text ?? '', gameId: shown.gameId ?? null }
          : null;
        const [one, other] = [JSON.stringify(should), JSON.stringify(does)];
        const isSame =
          isExcused(player) && isFriend
            ? !should || !does || (should.status === does.status && should.text === does.text)
            : one === other;
        if (!isSame) wrong.push(`${player.wallet}: ${other} instead of ${one}`);
      }
    }
  }
  return wrong;
}

/** What friends must see of a player; null: offline. */
function presenceOf({ wallet, devices, choice }: FriendPlayer, { privacies }: FriendsTruth) {
  const { presence, showGame } = privacies.get(wallet) ?? { presence: 'friends', showGame: true };
  const { status, text } = choice ?? { status: 'online', text: '' };
  if (!devices.some(({ isOpen }) => isOpen) || presence === 'nobody' || status === 'invisible') return null;
  return { status, text, gameId: showGame ? (devices[0]?.game ?? null) : null };
}

async function settled(device: LauncherDevice): Promise<void> {
  await until('the device settled', () => device.isSettled);
}

function often(count: number, act: Act): Act[] {
  return Array.from({ length: count }, () => act);
}

function some<T>(things: readonly T[]): T | undefined {
  return things[Math.floor(Math.random() * things.length)];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
