import { GantryError, invalidField } from '../../core/errors.ts';
import { addressInput, isGuestAddress } from '../../core/schemas/fields.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { isWebUrl } from '../../core/schemas/web-url.ts';
import type { Store } from '../../core/storage/store.ts';
import { admitsOrigin, wildcardOf } from '../../features/games/allowed-origin.ts';
import type { Game } from '../../features/games/game.ts';
import { bearerSecret, hashOfSecret, type SecretBox } from '../../features/games/game-secret.ts';
import { findGameBySecret, findGamesByOrigin, findNamedGame } from '../../features/games/queries.ts';
import { refuseOldVersion } from '../../features/games/refuse-old-version.ts';
import { isNamed, refuseArchived, requireNamedGame } from '../../features/games/require-game.ts';
import type { AuthKind, Callers, SessionCaller } from '../../features/operation.ts';
import { ensurePlayer } from '../../features/players/commands.ts';
import { refuseFormerGuest } from '../../features/players/guests.ts';
import { playerBanned } from '../../features/players/player-banned.ts';
import { findGuest, findPlayer, isBanned } from '../../features/players/queries.ts';
import { type SessionDetails, sessionEnded, tokenExpired } from '../../features/sessions/channel-session.ts';
import type { LauncherTokens } from '../../features/sessions/launcher-token.ts';
import { findGameOfSignIn, findSession } from '../../features/sessions/queries.ts';
import type { AdminCredentials } from './admin-credentials.ts';
import { checkRequestSignature, isSigned, type RequestSignature } from './request-signature.ts';

/** The credentials that came with a call. */
export interface Credentials {
  launcherJwt?: unknown;
  /** The `Authorization` header. */
  authorization?: string | undefined;
  signature?: RequestSignature | undefined;
  /** Ids and slugs of the games named by the URL. */
  games?: readonly string[];
  /** The `Origin` header of a call from a browser. */
  origin?: string | undefined;
  /** The version of the game that calls, as it was sent. */
  gameVersion?: unknown;
}

/** An authenticated caller, and the game it calls for, if any. */
export interface Authenticated<Kind extends AuthKind = AuthKind> {
  caller: Callers[Kind];
  game: Game | null;
  /** The game whose server is calling: with the game's secret and without a player's token. */
  server: Game | null;
  /** Whether the call has its game's secret, and so comes from the game's server, whichever player it is for. */
  hasSecret: boolean;
  /** The id of the game that the URL names and the input does not, or that the input names by its slug. */
  gameId?: string;
}

/** An identified caller whose permission has not been checked yet. */
type Identified = Pick<Authenticated, 'caller' | 'game'>;

/** Identifies callers and refuses those without permission, before the input is validated. */
export class Authenticator {
  readonly #db: Store;
  readonly #tokens: LauncherTokens;
  readonly #box: SecretBox;
  readonly #administrators: AdminCredentials;
  readonly #ownOrigin: () => string;

  constructor(dependencies: {
    db: Store;
    tokens: LauncherTokens;
    box: SecretBox;
    administrators: AdminCredentials;
    ownOrigin: () => string;
  }) {
    this.#db = dependencies.db;
    this.#tokens = dependencies.tokens;
    this.#box = dependencies.box;
    this.#administrators = dependencies.administrators;
    this.#ownOrigin = dependencies.ownOrigin;
  }

  /** @throws GantryError with one of the 401 reasons, or `game_unknown` */
  async authenticate(
    kind: AuthKind,
    input: Readonly<Record<string, unknown>>,
    credentials: Credentials,
  ): Promise<Authenticated> {
    if (kind === 'admin') {
      const caller = await this.#administrators.check(credentials.authorization);
      return { caller, game: null, server: null, hasSecret: false };
    }
    const bySecret =
      credentials.authorization !== undefined ? await this.gameOfSecret(credentials.authorization) : null;
    const { games } = credentials;
    const named = games && games.length > 0 ? await this.namedGame(games) : null;
    const isPublic = kind === 'public' || (kind === 'player-or-anyone' && isOmitted(credentials.launcherJwt));
    const takesGame = kind === 'game' || isPublic;
    const isForInput = named !== null && takesGame && isOmitted(input.gameId);
    const fullInput = isForInput ? { ...input, gameId: named.id } : input;
    const identified = await this.#identify(isPublic ? 'public' : kind, fullInput, credentials, bySecret);
    refuseOtherGame(named, identified.game);
    const { caller, game } = identified;
    if (game) {
      const checking = this.#check(game, bySecret, credentials, !isPublic);
      if (checking) await checking;
      // Whatever its version, a game may ask whether its session has ended.
      if (!isPublic && kind !== 'session') this.checkVersion(game, bySecret, credentials.gameVersion);
    }
    const server = isOmitted(credentials.launcherJwt) ? bySecret : null;
    const hasSecret = bySecret !== null && bySecret.id === game?.id;
    const authenticated: Authenticated = { caller, game, server, hasSecret };
    if (game && takesGame && (isForInput || input.gameId === game.slug)) authenticated.gameId = game.id;
    return authenticated;
  }

  /**
   * The one game that these ids and slugs name; null when the list is empty.
   * @throws GantryError `game_unknown`; `game_mismatch` when they name several
   */
  async namedGame(names: readonly string[] = []): Promise<Game | null> {
    let named: Game | null = null;
    for (const name of new Set(names)) {
      const game = await this.#db.read(findNamedGame, name);
      if (!game) throw new GantryError('game_unknown', 'There is no game with the id or slug in the URL');
      refuseOtherGame(named, game);
      named = game;
    }
    return named;
  }

  /**
   * The live session of a launcher token.
   * @throws GantryError `token_missing`, `token_invalid`, `token_expired`, `session_ended`
   */
  async liveSession(token: unknown): Promise<SessionDetails> {
    const details = await this.#session(token);
    refuseArchived(details.game);
    const { endedAt, endReason } = details.session;
    if (endedAt !== null) throw sessionEnded(endReason);
    return details;
  }

  /**
   * The game of the secret in an `Authorization` header, if the secret is valid.
   * @throws GantryError `secret_invalid`
   */
  async gameOfSecret(authorization: string): Promise<Game> {
    const game = await this.#db.read(findGameBySecret, hashOfSecret(bearerSecret(authorization)));
    if (!game) throw new GantryError('secret_invalid', 'The game secret is wrong or has expired');
    refuseArchived(game);
    return game;
  }

  /** @throws GantryError `origin_not_allowed` when the game restricts its origins and this is not one of them */
  checkOrigin(game: Game, origin: string | undefined): void {
    if (origin === undefined || game.allowedOrigins.length === 0) return;
    if (admitsOrigin(game.allowedOrigins, origin) || origin === this.#ownOrigin()) return;
    throw new GantryError(
      'origin_not_allowed',
      `The game does not allow calls from ${origin}: open it at an address that it allows, or add this one to its allowed origins`,
    );
  }

  /**
   * `server`: the game whose secret was sent. The game's own server has no version.
   * @throws GantryError `update_required` when the game requires a newer version than the one that was sent
   */
  checkVersion(game: Game, server: Game | null, sent: unknown): void {
    if (server?.id !== game.id) refuseOldVersion(game, sent);
  }

  /** Creates the player of a wallet on a game server's first write for it, as a sign-in does. */
  async ensurePlayer(owner: Owner): Promise<void> {
    if ((await this.#db.read(findPlayer, owner.wallet)) === null) await this.#db.write(ensurePlayer, owner);
  }

  async #identify(
    kind: Exclude<AuthKind, 'admin'>,
    input: Readonly<Record<string, unknown>>,
    credentials: Credentials,
    bySecret: Game | null,
  ): Promise<Identified> {
    switch (kind) {
      case 'player':
      case 'player-or-anyone': {
        const caller = toCaller(await this.liveSession(credentials.launcherJwt), bySecret);
        return { caller, game: caller.game };
      }
      case 'session': {
        const caller = toCaller(await this.#session(credentials.launcherJwt), bySecret);
        return { caller, game: caller.game };
      }
      case 'player-or-server': {
        if (bySecret && isOmitted(credentials.launcherJwt) && !isOmitted(input.wallet)) {
          const wallet = await this.admittedWallet(bySecret, input.wallet);
          return { caller: { game: bySecret, wallet, session: null }, game: bySecret };
        }
        const caller = toCaller(await this.liveSession(credentials.launcherJwt), bySecret);
        return { caller, game: caller.game };
      }
      case 'player-or-game': {
        if (bySecret && isOmitted(credentials.launcherJwt)) {
          const wallet = isOmitted(input.wallet) ? null : await this.admittedWallet(bySecret, input.wallet);
          return { caller: { game: bySecret, wallet, session: null }, game: bySecret };
        }
        const caller = toCaller(await this.liveSession(credentials.launcherJwt), bySecret);
        return { caller, game: caller.game };
      }
      case 'game': {
        const game = bySecret ?? (await this.#namedGame(input.gameId, credentials.origin));
        if (!isOmitted(input.gameId) && !isNamed(game, input.gameId)) throw wrongSecret();
        const { origin } = credentials;
        const isItsPage =
          origin !== undefined && isWebUrl(origin) && admitsOrigin(game.allowedOrigins, origin);
        return { caller: { game, page: isItsPage ? origin : null }, game };
      }
      case 'game-secret': {
        if (!bySecret) throw secretRequired("This operation requires the game's secret");
        return { caller: { game: bySecret }, game: bySecret };
      }
      case 'sign-in': {
        const game =
          typeof input.channelId === 'string' ? await this.#db.read(findGameOfSignIn, input.channelId) : null;
        return { caller: null, game };
      }
      case 'public': {
        const game =
          typeof input.gameId === 'string' ? await this.#db.read(findNamedGame, input.gameId) : bySecret;
        return { caller: null, game };
      }
    }
  }

  /**
   * The wallet of the player that a game's server acts for, once it is allowed to.
   * @throws GantryError `address_invalid`, `player_banned`; for a guest `player_unknown`, `guest_upgraded`
   */
  async admittedWallet(game: Game, named: unknown): Promise<string> {
    const { data: wallet, error } = addressInput.safeParse(named);
    if (wallet === undefined) {
      throw invalidField('wallet', error?.issues[0]?.message ?? 'is not an address', 'address_invalid');
    }
    if (isGuestAddress(wallet)) {
      refuseFormerGuest(await this.#db.read(findGuest, wallet), { toName: true });
    }
    const owner: Owner = { gameId: game.id, wallet };
    if (await this.#db.read(isBanned, owner)) {
      throw playerBanned(wallet, await this.#db.read(isBanned, { gameId: '', wallet }));
    }
    return wallet;
  }

  /**
   * Applies the game's policies to a call on its behalf. A public read needs no secret, but a wrong one is refused.
   * Returns a promise if there is a signature to check.
   */
  #check(
    game: Game,
    bySecret: Game | null,
    credentials: Credentials,
    onBehalfOfGame: boolean,
  ): Promise<void> | undefined {
    if (bySecret && onBehalfOfGame && bySecret.id !== game.id) throw wrongSecret();
    if (onBehalfOfGame) {
      refuseArchived(game);
      this.checkOrigin(game, credentials.origin);
    }
    if (onBehalfOfGame && game.policies.requireSecret && !bySecret) {
      throw secretRequired('This game requires its secret with every call');
    }
    const { signature } = credentials;
    if (signature && isSigned(signature)) {
      return checkRequestSignature(signature, game, this.#db, this.#box);
    }
    if (onBehalfOfGame && game.policies.requireSignature !== 'no') {
      throw new GantryError(
        'signature_required',
        'This game requires every call to be signed: send X-Request-Nonce and X-Request-Signature',
      );
    }
    return undefined;
  }

  async #session(token: unknown): Promise<SessionDetails> {
    if (token === undefined || token === null || token === '') {
      throw new GantryError(
        'token_missing',
        "launcherJwt is missing; sign in to get one. A game's server sends its secret and wallet instead, if the operation supports it",
      );
    }
    if (typeof token !== 'string') throw new GantryError('token_invalid', 'launcherJwt must be a string');
    const details = await this.#tokens.verify(token, (sessionId) => this.#db.read(findSession, sessionId));
    if (!details) throw new GantryError('token_invalid', 'launcherJwt belongs to an unknown session');
    if (details.session.expiresAt <= this.#db.now()) throw tokenExpired();
    return details;
  }

  async #namedGame(gameId: unknown, origin: string | undefined): Promise<Game> {
    if (typeof gameId === 'string' && gameId !== '') return requireNamedGame(this.#db, gameId);
    const [only, ...others] = origin === undefined ? [] : await this.#gamesAt(origin);
    if (only && others.length === 0) return only;
    throw new GantryError(
      'secret_required',
      'The game is missing: send gameId, the game secret (Authorization: Bearer <secret>), or call from an allowed origin',
    );
  }

  /** The games that allow this origin as it is, or if there are none, by a wildcard. */
  async #gamesAt(origin: string): Promise<Game[]> {
    const found = await this.#db.read(findGamesByOrigin, origin);
    const wildcard = wildcardOf(origin);
    return found.length > 0 || wildcard === null ? found : this.#db.read(findGamesByOrigin, wildcard);
  }
}

function toCaller(details: SessionDetails, bySecret: Game | null): SessionCaller {
  return { ...details, wallet: details.session.wallet, hasSecret: bySecret !== null };
}

/** @throws GantryError `game_mismatch` when the game in the URL differs from the game of the call */
export function refuseOtherGame(named: Game | null, game: Game | null): void {
  if (!named || !game || named.id === game.id) return;
  throw new GantryError('game_mismatch', 'The game in the URL differs from the game of the call');
}

/** Clients in typed languages send null or an empty string for omitted fields. */
export function isOmitted(sent: unknown): boolean {
  return sent === undefined || sent === null || sent === '';
}

function secretRequired(why: string): GantryError {
  return new GantryError('secret_required', `${why}: Authorization: Bearer <secret>`);
}

function wrongSecret(): GantryError {
  return new GantryError('secret_invalid', 'The game secret belongs to another game');
}
