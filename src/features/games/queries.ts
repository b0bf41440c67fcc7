import { query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { Game } from './game.ts';
import {
  fingerprintOf,
  isSecretValid,
  maxSecrets,
  type SealedSecret,
  type SecretSummary,
} from './game-secret.ts';
import { toGame } from './stored-game.ts';
import { type GameSecretRow, gameSecrets, games } from './tables.ts';

/** Maximum cached games, and maximum cached secrets. */
const maxCached = 10_000;

/** Runs with every call; returns the same object while the game has not changed. */
export const findGame = query(
  'findGame',
  function* (read, gameId: string): ReadSteps<Game | null> {
    const row = yield* read.get(games, gameId);
    return row ? toGame(row) : null;
  },
  { max: maxCached, keyOf: (gameId) => gameId },
);

/** The game with this id or slug. Runs with every call that names its game. */
export const findNamedGame = query(
  'findNamedGame',
  function* (read, name: string): ReadSteps<Game | null> {
    const game = yield* read.ask(findGame, name);
    if (game) return game;
    const row = yield* read.get(games.bySlug, name);
    return row ? yield* read.ask(findGame, row.id) : null;
  },
  { max: maxCached, keyOf: (name) => name },
);

export const findGameBySlug = query('findGameBySlug', function* (read, slug: string): ReadSteps<Game | null> {
  const row = yield* read.get(games.bySlug, slug);
  return row ? toGame(row) : null;
});

/** Games that allow this browser origin explicitly. */
export const findGamesByOrigin = query('findGamesByOrigin', function* (read, origin: string): ReadSteps<
  Game[]
> {
  return yield* gamesOf(read, yield* read.all(idsByOrigin, { origin }));
});

/** All games, by order, then oldest first. */
export const allGames = query('allGames', function* (read): ReadSteps<Game[]> {
  return yield* gamesOf(read, yield* read.all(allIds, {}));
});

/** The games that are being deleted. */
export const gamesBeingDeleted = query('gamesBeingDeleted', function* (read): ReadSteps<ReadonlySet<string>> {
  const rows = yield* read.all(beingDeleted, {});
  return new Set(rows.map(({ gameId }) => gameId));
});

/** The game whose valid secret has this hex SHA-256. Runs with every call that carries a secret. */
export const findGameBySecret = query(
  'findGameBySecret',
  function* (read, hash: string): ReadSteps<Game | null> {
    const secret = yield* read.ask(findSecret, hash);
    return secret && isSecretValid(secret, read.now) ? yield* read.ask(findGame, secret.gameId) : null;
  },
);

/** The game's valid secrets, encrypted, for checking signatures. */
export const sealedSecrets = query('sealedSecrets', function* (read, gameId: string): ReadSteps<
  SealedSecret[]
> {
  const valid = yield* validSecrets(read, gameId);
  return valid.map(({ hash, sealedMd5, sealedSecret }) => ({ hash, sealedMd5, sealedSecret }));
});

/** The game's valid secrets, newest first. */
export const summarizeSecrets = query('summarizeSecrets', function* (read, gameId: string): ReadSteps<
  SecretSummary[]
> {
  const valid = yield* validSecrets(read, gameId);
  return valid
    .toSorted((one, other) => other.createdAt - one.createdAt)
    .map((row) => ({
      fingerprint: fingerprintOf(row),
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
    }));
});

const findSecret = query(
  'findSecret',
  function* (read, hash: string): ReadSteps<Pick<GameSecretRow, 'gameId' | 'expiresAt'> | null> {
    const row = yield* read.get(gameSecrets, hash);
    return row ? { gameId: row.gameId, expiresAt: row.expiresAt } : null;
  },
  { max: maxCached, keyOf: (hash) => hash },
);

const listSecrets = query(
  'listSecrets',
  function* (read, gameId: string): ReadSteps<readonly GameSecretRow[]> {
    return yield* read.list(gameSecrets.byGame, [gameId], { limit: maxSecrets });
  },
  { max: maxCached, keyOf: (gameId) => gameId },
);

const allIds = statement<Record<never, never>, { id: string }>(
  'SELECT id FROM games ORDER BY sort_order, created_at, id',
);

const originsText = (origins: string) =>
  `SELECT id FROM games WHERE EXISTS (SELECT 1 FROM ${origins} WHERE value = @origin) ORDER BY created_at, id`;
const idsByOrigin = statement<{ origin: string }, { id: string }>({
  sqlite: originsText('json_each(allowed_origins)'),
  postgres: originsText('json_array_elements_text(CAST(allowed_origins AS json)) AS origins (value)'),
});

function* gamesOf(read: Read, ids: readonly { id: string }[]): ReadSteps<Game[]> {
  const found: Game[] = [];
  for (const { id } of ids) {
    const game = yield* read.ask(findGame, id);
    if (game) found.push(game);
  }
  return found;
}

function* validSecrets(read: Read, gameId: string): ReadSteps<GameSecretRow[]> {
  const rows = yield* read.ask(listSecrets, gameId);
  return rows.filter((row) => isSecretValid(row, read.now));
}
const beingDeleted = statement<Record<never, never>, { gameId: string }>(
  'SELECT game_id AS "gameId" FROM game_erasures',
);
