import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  type Game,
  type GamePolicies,
  gameKind,
  gamePolicies,
  type PolicyChanges,
  slugOf,
} from '../../domain/game.ts';
import { newId } from '../../domain/ids.ts';
import { GantryError } from '../../errors.ts';
import type { GameChanges, GameStore, NewGame, SealedSecret, SecretSummary } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';
import { type DataVersion, VersionCache } from './version-cache.ts';

export interface GameRow {
  id: string;
  slug: string;
  name: string;
  kind: string;
  url: string;
  allowed_origins: string;
  policies: string;
  created_at: number;
}

export class SqliteGames implements GameStore {
  readonly #group: GroupCommit;
  readonly #version: DataVersion;
  readonly #statements;
  readonly #byId: VersionCache<Game>;
  readonly #bySecret: VersionCache<{ gameId: string; expiresAt: number | null }>;
  readonly #clock: () => number;
  readonly #changed: (before: Game, after: Game) => void;

  /** `changed` is called inside the transaction when a game was changed, for whoever depends on what it was. */
  constructor(
    db: Database,
    version: DataVersion,
    group: GroupCommit,
    clock: () => number,
    changed: (before: Game, after: Game) => void,
  ) {
    this.#changed = changed;
    this.#group = group;
    this.#clock = clock;
    this.#version = version;
    this.#byId = new VersionCache(version, 10_000);
    this.#bySecret = new VersionCache(version, 10_000);
    this.#statements = {
      byId: db.prepare<[string], GameRow>('SELECT * FROM games WHERE id = ?'),
      bySlug: db.prepare<[string], GameRow>('SELECT * FROM games WHERE slug = ?'),
      all: db.prepare<[], GameRow>('SELECT * FROM games ORDER BY created_at, id'),
      byOrigin: db.prepare<[string], GameRow>(
        'SELECT * FROM games WHERE EXISTS (SELECT 1 FROM json_each(allowed_origins) WHERE value = ?)',
      ),
      insert: db.prepare(
        `INSERT INTO games (id, slug, name, kind, url, allowed_origins, policies, created_at)
         VALUES (@id, @slug, @name, @kind, @url, @allowedOrigins, @policies, @createdAt)`,
      ),
      insertSecret: db.prepare(
        `INSERT INTO game_secrets (hash, game_id, sealed_md5, sealed_secret, created_at, expires_at)
         VALUES (@hash, @gameId, @sealedMd5, @sealedSecret, @now, @expiresAt)`,
      ),
      expireSecrets: db.prepare(
        'UPDATE game_secrets SET expires_at = min(coalesce(expires_at, @at), @at) WHERE game_id = @gameId',
      ),
      // What was signed with a secret that no longer works cannot be replayed, so its nonces can go.
      forgetNonces: db.prepare(
        `DELETE FROM request_nonces WHERE game_id = @gameId AND seen_at < coalesce(
           (SELECT min(created_at) FROM game_secrets
            WHERE game_id = @gameId AND (expires_at IS NULL OR expires_at > @now)), 0)`,
      ),
      secret: db.prepare<[string], { game_id: string; expires_at: number | null }>(
        'SELECT game_id, expires_at FROM game_secrets WHERE hash = ?',
      ),
      sealed: db.prepare<[string, number], SealedSecret>(
        `SELECT hash, sealed_md5 AS sealedMd5, sealed_secret AS sealedSecret FROM game_secrets
         WHERE game_id = ? AND (expires_at IS NULL OR expires_at > ?)`,
      ),
      secrets: db.prepare<[string, number], SecretSummary>(
        `SELECT substr(hash, 1, 12) AS fingerprint, created_at AS createdAt, expires_at AS expiresAt FROM game_secrets
         WHERE game_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY created_at DESC`,
      ),
      revokeSecret: db.prepare(
        `UPDATE game_secrets SET expires_at = @now WHERE game_id = @gameId AND substr(hash, 1, 12) = @fingerprint
           AND (expires_at IS NULL OR expires_at > @now)`,
      ),
      update: db.prepare(
        `UPDATE games SET name = @name, url = @url, allowed_origins = @allowedOrigins, policies = @policies
         WHERE id = @id`,
      ),
      insertNonce: db.prepare(
        'INSERT INTO request_nonces (game_id, nonce, seen_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      ),
    };
  }

  create(input: NewGame, secret: SealedSecret): Promise<Game> {
    return this.#group.write((tx) => {
      const game: Game = {
        id: newId(),
        slug: this.#freeSlug(input),
        name: input.name,
        kind: input.kind ?? 'game',
        url: input.url ?? '',
        allowedOrigins: input.allowedOrigins ?? [],
        policies: withChanges(gamePolicies.parse({}), input.policies),
        createdAt: tx.now,
      };
      this.#statements.insert.run({
        ...game,
        allowedOrigins: JSON.stringify(game.allowedOrigins),
        policies: JSON.stringify(game.policies),
      });
      this.#statements.insertSecret.run({ ...secret, gameId: game.id, now: tx.now, expiresAt: null });
      return game;
    });
  }

  async find(gameId: string): Promise<Game | null> {
    return this.findNow(gameId);
  }

  /** As `find`, for the other parts of this adapter, which need it inside their transactions. */
  findNow(gameId: string): Game | null {
    return this.#byId.get(gameId, () => toGame(this.#statements.byId.get(gameId)));
  }

  async findBySlug(slug: string): Promise<Game | null> {
    return toGame(this.#statements.bySlug.get(slug));
  }

  async findByOrigin(origin: string): Promise<Game[]> {
    return this.#statements.byOrigin.all(origin).map(rowToGame);
  }

  async list(): Promise<Game[]> {
    return this.#statements.all.all().map(rowToGame);
  }

  update(gameId: string, changes: GameChanges): Promise<Game> {
    return this.#group.write(() => {
      const before = this.#require(gameId);
      const game: Game = {
        ...before,
        name: changes.name ?? before.name,
        url: changes.url ?? before.url,
        allowedOrigins: changes.allowedOrigins ?? before.allowedOrigins,
        policies: withChanges(before.policies, changes.policies),
      };
      this.#statements.update.run({
        id: gameId,
        name: game.name,
        url: game.url,
        allowedOrigins: JSON.stringify(game.allowedOrigins),
        policies: JSON.stringify(game.policies),
      });
      this.#version.changed();
      this.#changed(before, game);
      return game;
    });
  }

  rotateSecret(
    gameId: string,
    secret: SealedSecret,
    { graceMs, lifetimeMs }: { graceMs: number; lifetimeMs?: number | undefined },
  ): Promise<void> {
    return this.#group.write((tx) => {
      this.#require(gameId);
      this.#statements.expireSecrets.run({ gameId, at: tx.now + graceMs });
      const expiresAt = lifetimeMs === undefined ? null : tx.now + lifetimeMs;
      this.#statements.insertSecret.run({ ...secret, gameId, now: tx.now, expiresAt });
      this.#statements.forgetNonces.run({ gameId, now: tx.now });
      this.#version.changed();
    });
  }

  async findBySecretHash(hash: string): Promise<Game | null> {
    const secret = this.#bySecret.get(hash, () => {
      const row = this.#statements.secret.get(hash);
      return row ? { gameId: row.game_id, expiresAt: row.expires_at } : null;
    });
    if (!secret || (secret.expiresAt !== null && secret.expiresAt <= this.#clock())) return null;
    return this.findNow(secret.gameId);
  }

  async sealedSecrets(gameId: string): Promise<SealedSecret[]> {
    return this.#statements.sealed.all(gameId, this.#clock());
  }

  async listSecrets(gameId: string): Promise<SecretSummary[]> {
    return this.#statements.secrets.all(gameId, this.#clock());
  }

  revokeSecret(gameId: string, fingerprint: string): Promise<void> {
    return this.#group.write((tx) => {
      const { changes } = this.#statements.revokeSecret.run({ gameId, fingerprint, now: tx.now });
      if (changes === 0)
        throw new GantryError('secret_unknown', 'The game has no working secret with this fingerprint');
      this.#version.changed();
    });
  }

  consumeNonce(gameId: string, nonce: string): Promise<void> {
    return this.#group.write((tx) => {
      const { changes } = this.#statements.insertNonce.run(gameId, nonce, tx.now);
      if (changes === 0) {
        throw new GantryError(
          'nonce_replayed',
          'X-Request-Nonce was used before; make a new one for every request',
        );
      }
    });
  }

  #require(gameId: string): Game {
    const game = this.findNow(gameId);
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id');
    return game;
  }

  #freeSlug({ name, slug }: NewGame): string {
    if (slug !== undefined) {
      if (this.#statements.bySlug.get(slug)) {
        throw new GantryError('slug_taken', `Another game has the slug ${slug}; choose another`);
      }
      return slug;
    }
    const base = slugOf(name);
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? base : `${base}-${number}`;
      if (!this.#statements.bySlug.get(candidate)) return candidate;
    }
  }
}

/** Policies with some of them changed; within the leaderboard's, too, what is left out stays. */
function withChanges(before: GamePolicies, { leaderboard, ...changes }: PolicyChanges = {}): GamePolicies {
  return gamePolicies.parse({
    ...before,
    ...given(changes),
    leaderboard: { ...before.leaderboard, ...given(leaderboard ?? {}) },
  });
}

function given(changes: object): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function toGame(row: GameRow | undefined): Game | null {
  return row ? rowToGame(row) : null;
}

export function rowToGame(row: GameRow): Game {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    kind: gameKind.parse(row.kind),
    url: row.url,
    allowedOrigins: z.array(z.string()).parse(JSON.parse(row.allowed_origins)),
    policies: gamePolicies.parse(JSON.parse(row.policies)),
    createdAt: row.created_at,
  };
}
