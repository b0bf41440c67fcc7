import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import type { Game } from './game.ts';
import {
  fingerprintOf,
  isWorking,
  maxSecrets,
  type SealedSecret,
  type SecretSummary,
} from './game-secret.ts';
import { toGame } from './stored-game.ts';
import { type GameSecretRow, gameSecrets, games } from './tables.ts';

/** How many games, and how many secrets, are remembered. */
const maxRemembered = 10_000;

/** Asked with every call; the same object again while the game has not changed. */
export const findGame = query(
  'findGame',
  function* (read: Read, gameId: string): ReadSteps<Game | null> {
    const row = yield* read.get(games, gameId);
    return row ? toGame(row) : null;
  },
  { max: maxRemembered, keyOf: (gameId) => gameId },
);

export const findGameBySlug = query(
  'findGameBySlug',
  function* (read: Read, slug: string): ReadSteps<Game | null> {
    const row = yield* read.get(games.bySlug, slug);
    return row ? toGame(row) : null;
  },
);

/** Games that name this browser origin among their allowed ones. */
export const findGamesByOrigin = query('findGamesByOrigin', function* (read: Read, origin: string): ReadSteps<
  Game[]
> {
  return yield* gamesOf(read, yield* read.all(idsByOrigin, { origin }));
});

/** Every game, by its order, and oldest first. */
export const allGames = query('allGames', function* (read: Read): ReadSteps<Game[]> {
  return yield* gamesOf(read, yield* read.all(allIds, {}));
});

/** The game of the secret with this hex SHA-256, while the secret works. Asked with every call that carries one. */
export const findGameBySecret = query(
  'findGameBySecret',
  function* (read: Read, hash: string): ReadSteps<Game | null> {
    const secret = yield* read.ask(findSecret, hash);
    return secret && isWorking(secret, read.now) ? yield* read.ask(findGame, secret.gameId) : null;
  },
);

/** What signatures are checked with, sealed: of every secret of the game that still works. */
export const sealedSecrets = query('sealedSecrets', function* (read: Read, gameId: string): ReadSteps<
  SealedSecret[]
> {
  const working = yield* workingSecrets(read, gameId);
  return working.map(({ hash, sealedMd5, sealedSecret }) => ({ hash, sealedMd5, sealedSecret }));
});

/** The secrets of a game that still work, newest first. */
export const summarizeSecrets = query('summarizeSecrets', function* (read: Read, gameId: string): ReadSteps<
  SecretSummary[]
> {
  const working = yield* workingSecrets(read, gameId);
  return working
    .toSorted((one, other) => other.createdAt - one.createdAt)
    .map((row) => ({
      fingerprint: fingerprintOf(row),
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
    }));
});

const findSecret = query(
  'findSecret',
  function* (read: Read, hash: string): ReadSteps<Pick<GameSecretRow, 'gameId' | 'expiresAt'> | null> {
    const row = yield* read.get(gameSecrets, hash);
    return row ? { gameId: row.gameId, expiresAt: row.expiresAt } : null;
  },
  { max: maxRemembered, keyOf: (hash) => hash },
);

const listSecrets = query(
  'listSecrets',
  function* (read: Read, gameId: string): ReadSteps<readonly GameSecretRow[]> {
    return yield* read.list(gameSecrets.byGame, [gameId], { limit: maxSecrets });
  },
  { max: maxRemembered, keyOf: (gameId) => gameId },
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

function* workingSecrets(read: Read, gameId: string): ReadSteps<GameSecretRow[]> {
  const rows = yield* read.ask(listSecrets, gameId);
  return rows.filter((row) => isWorking(row, read.now));
}
