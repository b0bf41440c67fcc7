import type { Database } from '../../src/core/storage/database.ts';
import { stateOf } from '../../src/features/friends/friend.ts';
import type { Invite } from '../../src/features/friends/invite.ts';
import type { Privacy } from '../../src/features/friends/privacy.ts';
import { privacyOf } from '../../src/features/friends/queries.ts';
import type { FriendshipRow } from '../../src/features/friends/tables.ts';
import type { Listening } from '../support/listening-client.ts';
import { rowsIn } from '../support/rows-in.ts';

/** What a player's list says of another. */
interface Entry {
  state: string;
  favorite: boolean;
  note: string;
}
type List = ReadonlyMap<string, Entry>;

/** What the database says. */
export interface FriendsTruth {
  /** By player, and in each by the other one. */
  lists: ReadonlyMap<string, List>;
  privacies: ReadonlyMap<string, Privacy>;
  /** Ids of open invites, by sender and by receiver. */
  invites: ReadonlyMap<string, ReadonlySet<string>>;
  /** Pairs of friends, and pairs whose rows contradict each other. */
  friendships: number;
  pairsApart: number;
  /** Events of account streams. */
  events: number;
}

/** Reads what the database says of these players. */
export async function readFriends(db: Database, wallets: readonly string[]): Promise<FriendsTruth> {
  const rows = (await rowsIn(
    db,
    `SELECT wallet, other, state, favorite, note, message, changed_at AS "changedAt", expires_at AS "expiresAt"
      FROM friendships`,
    {},
  )) as FriendshipRow[];
  const lists = new Map<string, Map<string, Entry>>(wallets.map((wallet) => [wallet, new Map()]));
  const states = new Map<string, string>();
  for (const row of rows) {
    const { wallet, other, favorite, note } = row;
    if (row.expiresAt > db.now()) states.set(`${wallet} ${other}`, row.state);
    const state = stateOf(row, db.now());
    if (state) lists.get(wallet)?.set(other, { state, favorite: favorite === 1, note });
  }
  const invites = new Map<string, Set<string>>(wallets.map((wallet) => [wallet, new Set()]));
  for (const { id, sender, wallet } of (await rowsIn(db, 'SELECT id, sender, wallet FROM invites', {})) as {
    id: string;
    sender: string;
    wallet: string;
  }[]) {
    invites.get(sender)?.add(id);
    invites.get(wallet)?.add(id);
  }
  const [events] = (await rowsIn(
    db,
    `SELECT sum(seq) AS count FROM streams WHERE name LIKE 'account:%'`,
    {},
  )) as { count: number | null }[];
  return {
    lists,
    privacies: new Map(
      await Promise.all(wallets.map(async (wallet) => [wallet, await db.read(privacyOf, wallet)] as const)),
    ),
    invites,
    friendships: [...lists.values()].flatMap((list) => [...list.values()].filter(isFriend)).length / 2,
    pairsApart: [...states].filter(([key, state]) => {
      const [wallet, other] = key.split(' ');
      return contradict(state, states.get(`${other} ${wallet}`));
    }).length,
    events: Number(events?.count ?? 0),
  };
}

const isFriend = ({ state }: Entry) => state === 'friend';

/** Whether a row cannot stand beside the other player's; undefined: there is none. */
function contradict(state: string, other: string | undefined): boolean {
  if (state === 'friend') return other !== 'friend';
  if (state === 'received') return other !== 'sent';
  // Who was declined or blocked still seems to have asked.
  return state === 'sent' && (other === 'friend' || other === 'sent');
}

/** The list that a launcher has by the events it received. */
export function listShownBy(device: Listening | undefined): Map<string, Entry> {
  const list = new Map<string, Entry>();
  for (const { name, record } of device?.received ?? []) {
    const { wallet, state, favorite, note } = record as unknown as { wallet: string } & Entry;
    if (name === 'friends removed') list.delete(wallet);
    else if (name === 'friends created' || name === 'friends patched')
      list.set(wallet, { state, favorite, note });
  }
  return list;
}

/** The open invites that a launcher has by the events it received. */
export function invitesShownBy(device: Listening | undefined): Map<string, Invite> {
  const invites = new Map<string, Invite>();
  for (const { name, record } of device?.received ?? []) {
    const invite = record as unknown as Invite;
    if (name === 'invites created') invites.set(invite.inviteId, invite);
    if (name === 'invites removed') invites.delete(invite.inviteId);
  }
  return invites;
}

/** How many launchers have another list, other invites or another privacy than the database. */
export function launchersWrong(
  players: readonly { wallet: string; devices: readonly Listening[] }[],
  { lists, privacies, invites }: FriendsTruth,
): number {
  const sorted = (entries: Iterable<readonly [string, unknown]>) =>
    JSON.stringify([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  let wrong = 0;
  for (const { wallet, devices } of players) {
    for (const device of devices) {
      const privacy = device.received.findLast(({ name }) => name === 'privacy patched')?.record;
      const known = privacies.get(wallet);
      const isRight =
        sorted(listShownBy(device)) === sorted(lists.get(wallet) ?? []) &&
        sorted([...invitesShownBy(device).keys()].map((id) => [id, 0])) ===
          sorted([...(invites.get(wallet) ?? [])].map((id) => [id, 0])) &&
        (!privacy || (privacy.presence === known?.presence && privacy.showGame === known?.showGame));
      if (!isRight) wrong++;
    }
  }
  return wrong;
}
