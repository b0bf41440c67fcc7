import { GantryError } from '../../core/errors.ts';
import { lockGameList } from '../../core/events/stream-locks.ts';
import { command, exclusiveCommand, type Steps, type Tx } from '../../core/storage/command.ts';
import { statement } from '../../core/storage/query.ts';
import { type Game, gamePolicies, type NewGame, slugOf, withPolicyChanges } from './game.ts';
import type { GameDetailChanges } from './game-details.ts';
import { fingerprintOf, isSecretValid, maxSecrets, type SealedSecret } from './game-secret.ts';
import { setGameDetails } from './library-commands.ts';
import { toGame } from './stored-game.ts';
import { type GameRow, gameSecrets, games, requestNonces } from './tables.ts';

/**
 * Adds a game with its first secret and what its page shows.
 * @throws GantryError `slug_taken` when the slug was given and another game has it
 */
export const registerGame = command(
  'registerGame',
  function* (tx, input: NewGame & GameDetailChanges, secret: SealedSecret): Steps<Game> {
    const row: GameRow = {
      id: tx.newId(),
      slug: yield* findFreeSlug(tx, input),
      name: input.name,
      kind: input.kind ?? 'game',
      url: input.url ?? '',
      allowedOrigins: JSON.stringify(input.allowedOrigins ?? []),
      policies: JSON.stringify(withPolicyChanges(gamePolicies.parse({}), input.policies)),
      rules: '[]',
      rulesVersion: 0,
      createdAt: tx.now,
      listing: input.listing ?? 'listed',
      image: input.image ?? '',
      sortOrder: input.order ?? 0,
    };
    tx.insert(games, row);
    tx.insert(gameSecrets, { ...secret, gameId: row.id, createdAt: tx.now, expiresAt: null });
    yield* setGameDetails(tx, row.id, input);
    return toGame(row);
  },
);

/** `expiresAt` of a revoked secret: earlier than any node's clock, which may lag by some milliseconds. */
const expiredAlready = 0;

/**
 * Adds a secret, which expires after `lifetimeMs` if given; earlier ones expire `graceMs` from now.
 * @throws GantryError `game_unknown`
 */
export const addGameSecret = exclusiveCommand(
  'addGameSecret',
  function* (
    tx,
    gameId: string,
    secret: SealedSecret,
    { graceMs, lifetimeMs }: { graceMs: number; lifetimeMs?: number | undefined },
  ): Steps<void> {
    const [game, earlier] = yield* tx.all(
      tx.lock(games, gameId),
      tx.list(gameSecrets.byGame, [gameId], { limit: maxSecrets }),
    );
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    const graceEnd = graceMs === 0 ? expiredAlready : tx.now + graceMs;
    for (const row of earlier) {
      if (row.expiresAt === null || row.expiresAt > graceEnd)
        tx.put(gameSecrets, { ...row, expiresAt: graceEnd });
    }
    const expiresAt = lifetimeMs === undefined ? null : tx.now + lifetimeMs;
    tx.insert(gameSecrets, { ...secret, gameId, createdAt: tx.now, expiresAt });
    yield* tx.run(deleteNonces, { gameId, now: tx.now });
  },
);

/** Revokes a secret immediately. @throws GantryError `secret_unknown` */
export const expireGameSecret = command(
  'expireGameSecret',
  function* (tx, gameId: string, fingerprint: string): Steps<void> {
    const [, secrets] = yield* tx.all(
      tx.lock(games, gameId),
      tx.list(gameSecrets.byGame, [gameId], { limit: maxSecrets }),
    );
    const matching = secrets.filter(
      (row) => fingerprintOf(row) === fingerprint && isSecretValid(row, tx.now),
    );
    if (matching.length === 0)
      throw new GantryError('secret_unknown', 'The game has no active secret with this fingerprint');
    for (const row of matching) tx.put(gameSecrets, { ...row, expiresAt: expiredAlready });
  },
);

/** Marks a request nonce as seen. @throws GantryError `nonce_replayed` when it was seen before for this game */
export const consumeNonce = command(
  'consumeNonce',
  function* (tx, gameId: string, nonce: string): Steps<void> {
    const row = yield* tx.lock(requestNonces, [gameId, nonce], { gameId, nonce, seenAt: notSeen });
    if (row.seenAt !== notSeen) {
      throw new GantryError(
        'nonce_replayed',
        'X-Request-Nonce was used before; generate a new one for every request',
      );
    }
    tx.put(requestNonces, { ...row, seenAt: tx.now });
  },
);

/** `seenAt` of a row that was just created by its lock. */
const notSeen = 0;

// Requests signed with an expired secret cannot be replayed, so their nonces can be deleted.
const deleteNonces = statement<{ gameId: string; now: number }>(
  `DELETE FROM request_nonces WHERE game_id = @gameId AND seen_at < coalesce(
     (SELECT min(created_at) FROM game_secrets
      WHERE game_id = @gameId AND (expires_at IS NULL OR expires_at > @now)), 0)`,
);

function* findFreeSlug(tx: Tx, { name, slug }: NewGame): Steps<string> {
  const preferred = slug ?? slugOf(name);
  const [, sameSlug] = yield* tx.all(lockGameList(tx), tx.get(games.bySlug, preferred));
  if (!sameSlug) return preferred;
  if (slug !== undefined) {
    throw new GantryError('slug_taken', `Another game has the slug ${slug}; choose another`);
  }
  const numbered = (number: number) => `${preferred}-${number}`;
  // Doubles until a number is free, then searches by bisection: thousands of games may share a name.
  let [taken, free] = [1, 2];
  while (yield* tx.get(games.bySlug, numbered(free))) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const middle = (taken + free) >> 1;
    if (yield* tx.get(games.bySlug, numbered(middle))) taken = middle;
    else free = middle;
  }
  return numbered(free);
}
