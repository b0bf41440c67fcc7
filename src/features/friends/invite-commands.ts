import { GantryError } from '../../core/errors.ts';
import type { EventType } from '../../core/events/event.ts';
import { streamOf } from '../../core/events/stream.ts';
import { lockAccount } from '../../core/events/stream-locks.ts';
import { command, type Request, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { blocksHere } from '../messages/blocks/commands.ts';
import { accountAudience, privacyIn } from './account.ts';
import { inviteCreated, inviteRemoved } from './events.ts';
import { type Invite, type InviteOutcome, inviteLifetimeMs, maxOpenInvites, toInvite } from './invite.ts';
import { friendships, type InviteRow, invites } from './tables.ts';

const rowsPerSlice = 200;

/** What is sent to each of the invited. */
export interface NewInvite {
  gameId: string;
  connect: string;
  message: string;
}

/** Whom an invite did not reach, and why. */
export interface RefusedInvite {
  wallet: string;
  reason: 'not_a_friend' | 'invites_not_accepted';
}

/**
 * Invites friends to a game, each unless the friend accepts no invites; an earlier invite to the same game is replaced.
 * Who blocks the sender in that game gets nothing, and the sender's answer is the same as otherwise.
 * @throws GantryError `invite_limit_reached`
 */
export const sendInvites = command(
  'sendInvites',
  function* (
    tx,
    sender: string,
    wallets: readonly string[],
    invite: NewInvite,
  ): Steps<{ invites: Invite[]; refused: RefusedInvite[] }> {
    const everyone = [sender, ...wallets].toSorted();
    yield* tx.all(...everyone.map((wallet) => lockAccount(tx, wallet)));
    const open = (yield* openInvitesBy(tx, sender)).filter(({ expiresAt }) => expiresAt > tx.now);
    const isReplaced = (row: InviteRow) => row.gameId === invite.gameId && wallets.includes(row.wallet);
    if (open.filter((row) => !isReplaced(row)).length + wallets.length > maxOpenInvites) {
      throw new GantryError(
        'invite_limit_reached',
        `A player can have ${maxOpenInvites} open invites; cancel some first`,
      );
    }
    const refused: RefusedInvite[] = [];
    const sent: Invite[] = [];
    yield* forEach(tx, wallets, function* (wallet): Steps<void> {
      const [row] = yield* tx.all(tx.get(friendships, sender, wallet));
      if (row?.state !== 'friend') {
        refused.push({ wallet, reason: 'not_a_friend' });
        return;
      }
      if ((yield* privacyIn(tx, wallet)).invites === 'nobody') {
        refused.push({ wallet, reason: 'invites_not_accepted' });
        return;
      }
      const before = open.find((one) => one.wallet === wallet && one.gameId === invite.gameId);
      if (before) yield* endInvite(tx, before, 'cancelled');
      const times = { createdAt: tx.now, expiresAt: tx.now + inviteLifetimeMs };
      const created: InviteRow = { id: tx.newId(), sender, wallet, ...invite, ...times };
      tx.insert(invites, created);
      yield* announce(tx, inviteCreated, created, {});
      sent.push(toInvite(created));
    });
    return { invites: sent, refused };
  },
);

/** A player who has sent or received an invite; `gameId`: the only game whose invites the call may see. */
export interface InviteParty {
  wallet: string;
  gameId: string | null;
}

/**
 * Accepts or declines an invite, which ends with it.
 * @returns the invite, with what the game needs to join
 * @throws GantryError `invite_unknown`
 */
export const answerInvite = command(
  'answerInvite',
  function* (tx, { wallet, gameId }: InviteParty, inviteId: string, isAccepted: boolean): Steps<InviteRow> {
    const row = yield* requireInvite(tx, inviteId, gameId, (invite) => invite.wallet === wallet);
    yield* endInvite(tx, row, isAccepted ? 'accepted' : 'declined');
    return row;
  },
);

/** @throws GantryError `invite_unknown` */
export const cancelInvite = command(
  'cancelInvite',
  function* (tx, { wallet, gameId }: InviteParty, inviteId: string): Steps<void> {
    const row = yield* requireInvite(tx, inviteId, gameId, (invite) => invite.sender === wallet);
    yield* endInvite(tx, row, 'cancelled');
  },
);

/** Deletes a bounded batch of invites that have expired; true when there may be more. */
export const trimInvites = command('trimInvites', function* (tx): Steps<boolean> {
  const rows = yield* tx.list(invites.byExpiry, [], { limit: rowsPerSlice });
  const due = rows.filter(({ expiresAt }) => expiresAt <= tx.now);
  for (const row of due) tx.remove(invites, row);
  return due.length === rowsPerSlice;
});

/** Cancels the invites between two players, whose lists are locked. */
export function* endInvitesBetween(tx: Tx, wallet: string, other: string): Steps<void> {
  const [sent, received] = yield* tx.all(openInvitesBy(tx, wallet), openInvitesBy(tx, other));
  const between = [
    ...sent.filter((row) => row.wallet === other),
    ...received.filter((row) => row.wallet === wallet),
  ];
  for (const row of between) yield* endInvite(tx, row, 'cancelled');
}

/** Requests the open invites of a sender, with older ones that have expired: all last equally long. */
function openInvitesBy(tx: Tx, sender: string): Request<readonly InviteRow[]> {
  return tx.list(invites.bySender, [sender], { limit: maxOpenInvites, last: true });
}

/** Removes a bounded batch of the invites that others have sent to a player, without a word; true when there may be more. */
export function* removeInvitesTo(tx: Tx, wallet: string): Steps<boolean> {
  const rows = yield* tx.list(invites.byReceiver, [wallet], { limit: rowsPerSlice });
  for (const row of rows) tx.remove(invites, row);
  return rows.length === rowsPerSlice;
}

function* requireInvite(
  tx: Tx,
  inviteId: string,
  gameId: string | null,
  isOwn: (row: InviteRow) => boolean,
): Steps<InviteRow> {
  const found = yield* tx.get(invites, inviteId);
  if (found && isOwn(found) && (gameId === null || found.gameId === gameId)) {
    const both = [found.sender, found.wallet].toSorted();
    yield* tx.all(...both.map((wallet) => lockAccount(tx, wallet)));
    const row = yield* tx.get(invites, inviteId);
    if (row && row.expiresAt > tx.now) return row;
  }
  throw new GantryError('invite_unknown', 'There is no such invite, or it has expired or been answered');
}

/** Removes an invite; both lists are locked. */
function* endInvite(tx: Tx, row: InviteRow, outcome: InviteOutcome): Steps<void> {
  tx.remove(invites, row);
  if (row.expiresAt > tx.now) yield* announce(tx, inviteRemoved, row, { outcome });
}

function* announce(
  tx: Tx,
  type: EventType<string, typeof inviteCreated.record>,
  row: InviteRow,
  { outcome }: { outcome?: InviteOutcome },
): Steps<void> {
  const record = { ...toInvite(row), ...(outcome && { outcome }) };
  const isBlocked = yield* blocksHere(tx, row, row.sender);
  for (const [wallet, other] of [
    [row.wallet, row.sender],
    [row.sender, row.wallet],
  ] as const) {
    const audience = yield* accountAudience(tx, wallet, other);
    // A block does not end invites that were received before, so their end is told.
    if (isBlocked && wallet === row.wallet && type === inviteCreated) continue;
    tx.emit(streamOf.account(wallet), type, record, audience);
  }
}
