import { streamOf } from '../../core/events/stream.ts';
import { folded } from '../../core/schemas/folded.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { type ImportRefusal, makeFriends } from '../friends/commands.ts';
import { friendships } from '../friends/tables.ts';
import { insertGuest, type NewGuest } from '../guests/commands.ts';
import { block, blocksHere } from '../messages/blocks/commands.ts';
import { lockProfile } from '../players/commands.ts';
import { guests, players } from '../players/tables.ts';
import { setBoardScore } from '../scores/commands.ts';
import { defaultLeaderboard } from '../scores/leaderboard.ts';
import { leaderboardRecords, leaderboards } from '../scores/leaderboard-tables.ts';
import { scores as scoreRecords } from '../scores/tables.ts';
import { type StateWrite, saveStates } from '../states/commands.ts';
import { states as storedStates } from '../states/tables.ts';

/**
 * What importing something does. `kept`: it was changed here since, or is more recent here; `ended`: the season that the
 * score belongs to has ended here.
 */
export type Outcome = 'new' | 'updated' | 'unchanged' | 'kept' | 'ended';

export interface ScoreToImport {
  leaderboard: string;
  score: number;
  /** Identifies it among the player's scores on the leaderboard. */
  nonce: string;
  at: number | undefined;
  metadata: Record<string, unknown> | undefined;
}

export type StateToImport = StateWrite & { at: number | undefined };

export interface PlayerToImport {
  /** The player's wallet, or what the game's server knows the player by (`playerKeyOf`) and the guest to create for it. */
  identity: { wallet: string } | { playerKey: string; guest: NewGuest };
  /** Empty: none. */
  name: string;
  createdAt: number | undefined;
  scores: readonly ScoreToImport[];
  states: readonly StateToImport[];
}

export interface ImportedPlayer {
  /** Null for a new player in a dry run. */
  wallet: string | null;
  player: Outcome;
  scores: Outcome[];
  states: Outcome[];
}

/**
 * Imports a player with scores and states, all of it or nothing. What was imported before and has not changed is not
 * written again. A name is set unless the player has one. The game's storage quota holds, that of players does not.
 * `isDryRun`: nothing is written.
 * @throws GantryError as `setBoardScore` and `saveStates`
 */
export const importPlayer = command(
  'importPlayer',
  function* (
    tx,
    gameId: string,
    { identity, name, createdAt, scores, states }: PlayerToImport,
    isDryRun: boolean,
  ): Steps<ImportedPlayer> {
    withoutWebhooks(tx);
    const isGuest = 'playerKey' in identity;
    const known = isGuest ? yield* tx.get(guests.byPlayer, gameId, identity.playerKey) : undefined;
    const wallet = isGuest ? (known?.wallet ?? identity.guest.address) : identity.wallet;
    const owner = { gameId, wallet };
    const before = yield* tx.get(players, wallet);
    const ofScores = yield* forEach(tx, scores, (score) => outcomeOfScore(tx, owner, score));
    const ofStates = yield* forEach(tx, states, (state) => outcomeOfState(tx, owner, state));
    const getsName = name !== '' && (before === undefined || before.username === '');
    const player = !before ? 'new' : getsName ? 'updated' : 'unchanged';
    const outcome = {
      wallet: isDryRun && !before ? null : wallet,
      player,
      scores: ofScores,
      states: ofStates,
    } as const;
    if (isDryRun) return outcome;
    if (player !== 'unchanged') {
      if (isGuest && !known)
        insertGuest(tx, identity.guest, { vouchedBy: gameId, playerKey: identity.playerKey });
      const profile = yield* lockProfile(tx, wallet);
      tx.put(players, {
        ...profile,
        ...(getsName && { username: name, searchName: folded(name) }),
        ...(!before && createdAt !== undefined && { createdAt: Math.min(createdAt, tx.now) }),
      });
    }
    yield* forEach(tx, written(scores, ofScores), ({ leaderboard, score, at, ...details }) =>
      setBoardScore(tx, owner, leaderboard, score, { ...details, at: past(tx, at) }),
    );
    const changed = written(states, ofStates).map((state) => ({ ...state, at: past(tx, state.at) }));
    if (changed.length > 0) yield* saveStates(tx, owner, changed, Number.MAX_SAFE_INTEGER);
    return outcome;
  },
);

/**
 * Makes two imported players friends, unless one of them has ended that here. Returns why it was refused.
 * @throws GantryError as `makeFriends`
 */
export const importFriendship = command(
  'importFriendship',
  function* (
    tx,
    { gameId, wallet }: Owner,
    other: string,
    isDryRun: boolean,
  ): Steps<Outcome | ImportRefusal> {
    withoutWebhooks(tx);
    const [mine, theirs] = yield* tx.all(
      tx.get(friendships, wallet, other),
      tx.get(friendships, other, wallet),
    );
    if (mine?.state === 'friend') return 'unchanged';
    const ended = ['removed', 'former', 'declined'];
    if ([mine, theirs].some((row) => row && ended.includes(row.state))) return 'kept';
    if (isDryRun) return 'new';
    return (yield* makeFriends(tx, gameId, wallet, other)) ?? 'new';
  },
);

/** Blocks a player for another in the game. @throws GantryError as `block` */
export const importBlock = command(
  'importBlock',
  function* (tx, owner: Owner, blocked: string, isDryRun: boolean): Steps<Outcome> {
    if (yield* blocksHere(tx, owner, blocked)) return 'unchanged';
    if (!isDryRun) yield* block(tx, owner, blocked);
    return 'new';
  },
);

/** A receiver takes what is imported for what players do now, and may be called a million times. */
function withoutWebhooks(tx: Tx): void {
  tx.isWithoutReactions = true;
}

function* outcomeOfScore(
  tx: Tx,
  { gameId, wallet }: Owner,
  { leaderboard: name, score, nonce, at, metadata }: ScoreToImport,
): Steps<Outcome> {
  const stream = streamOf.player(gameId, wallet);
  const named = name === defaultLeaderboard ? undefined : yield* tx.get(leaderboards, gameId, name);
  // In a dry run, it may not exist yet.
  if (name !== defaultLeaderboard && !named) return 'new';
  const before = named
    ? yield* tx.get(leaderboardRecords.byNonce, named.seasonId, stream, nonce)
    : yield* tx.get(scoreRecords.byNonce, stream, nonce);
  if (!before) return named && named.season > 1 && (at ?? 0) < named.seasonStartedAt ? 'ended' : 'new';
  const isSame =
    before.score === score && (before.metadata ?? undefined) === (metadata && JSON.stringify(metadata));
  return isSame ? 'unchanged' : 'updated';
}

function* outcomeOfState(tx: Tx, { gameId, wallet }: Owner, state: StateToImport): Steps<Outcome> {
  const before = yield* tx.peek(storedStates, ['ipfsHash', 'updatedAt'], gameId, wallet, state.label);
  if (!before) return 'new';
  if (before.ipfsHash === state.ipfsHash) return 'unchanged';
  return state.at !== undefined && state.at > before.updatedAt ? 'updated' : 'kept';
}

/** Those that are to be written. */
function written<Item>(items: readonly Item[], outcomes: readonly Outcome[]): Item[] {
  return items.filter((_, at) => outcomes[at] === 'new' || outcomes[at] === 'updated');
}

/** Of a clock that was ahead, now. */
function past(tx: Tx, at: number | undefined): number | undefined {
  return at === undefined ? undefined : Math.min(at, tx.now);
}
