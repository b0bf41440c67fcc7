import type { AdminCaller } from '../administrators/administrator.ts';
import { addressInput } from '../core/schemas/address.ts';
import { isGuestAddress } from '../core/schemas/guest-address.ts';
import type { Owner } from '../core/schemas/owner.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import type { Game } from '../games/game.ts';
import { bearerSecret, hashOfSecret, type SecretBox } from '../games/game-secret.ts';
import { findGame, findGameBySecret, findGameBySlug, findGamesByOrigin } from '../games/queries.ts';
import { refuseArchived } from '../games/refuse-archived.ts';
import { setProfile } from '../players/commands.ts';
import { refuseFormerGuest } from '../players/guests.ts';
import { findGuest, findPlayer, isBanned } from '../players/queries.ts';
import type { ChannelSession, SessionDetails } from '../sessions/channel-session.ts';
import type { LauncherTokens } from '../sessions/launcher-token.ts';
import { findGameOfSignIn, findSession } from '../sessions/queries.ts';
import type { AdminCredentials } from './admin-credentials.ts';
import { checkRequestSignature, isSigned, type RequestSignature } from './request-signature.ts';

/** What a call brought along to say who it comes from. */
export interface Credentials {
  launcherJwt?: unknown;
  /** The `Authorization` header. */
  authorization?: string | undefined;
  signature?: RequestSignature | undefined;
  /** Ids and slugs of the games that the address names. */
  games?: readonly string[];
  /** The `Origin` header: which page of a browser the call comes from. */
  origin?: string | undefined;
}

/** The player whose things a call is about, in a game. The wallet is lowercase. */
export interface PlayerCaller {
  game: Game;
  wallet: string;
}

/** A player, with the session of their launcher token. */
export interface SessionCaller extends PlayerCaller, SessionDetails {}

/**
 * Who must be calling, and with it what the handler is given as `caller`:
 * - `player`: a launcher token whose session lives → its session, player and game
 * - `session`: as `player`, but an ended session will do
 * - `player-or-server`: as `player`; or the game's own server, which names the player by `wallet` beside the game's
 *   secret → the game and the wallet, and the session, which a server has none of
 * - `player-or-game`: the same, where a server need not name a player
 * - `game`: whoever names a game by its secret, `gameId` or an allowed origin → the game, and the page
 * - `game-secret`: a game, by its secret → the game
 * - `sign-in`: whoever has the `channelId` of a sign-in → nothing
 * - `public`: anyone → nothing
 * - `admin`: whoever has an administrator's token, or the command line on the data directory → who, and the role
 */
export interface Callers {
  player: SessionCaller;
  session: SessionCaller;
  'player-or-server': PlayerCaller & { session: ChannelSession | null };
  'player-or-game': SessionCaller | { game: Game; wallet: string | null; session: null };
  game: { game: Game; page: string | null };
  'game-secret': { game: Game };
  'sign-in': null;
  public: null;
  admin: AdminCaller;
}
export type AuthKind = keyof Callers;

/** Who is calling, and on behalf of which game when there is one. */
export interface Authenticated<Kind extends AuthKind = AuthKind> {
  caller: Callers[Kind];
  game: Game | null;
  /** The game whose server calls by itself: with the game's secret, and without a player's token. */
  server: Game | null;
  /** Whether the call shows the secret of its game, so that it comes from the game's server whoever it is about. */
  hasSecret: boolean;
  /** The game that the address names and the input does not, where the input is to name one. */
  gameId?: string;
}

/** Who is calling, before it is known whether they may. */
type Identified = Pick<Authenticated, 'caller' | 'game'>;

/** Finds out who is calling and refuses who may not, before anything of the input is looked at closely. */
export class Authenticator {
  readonly #db: Database;
  readonly #tokens: LauncherTokens;
  readonly #box: SecretBox;
  readonly #administrators: AdminCredentials;
  readonly #ownOrigin: () => string;

  constructor(parts: {
    db: Database;
    tokens: LauncherTokens;
    box: SecretBox;
    administrators: AdminCredentials;
    ownOrigin: () => string;
  }) {
    this.#db = parts.db;
    this.#tokens = parts.tokens;
    this.#box = parts.box;
    this.#administrators = parts.administrators;
    this.#ownOrigin = parts.ownOrigin;
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
    const isForInput = named !== null && (kind === 'game' || kind === 'public') && isLeftOut(input.gameId);
    const asked = isForInput ? { ...input, gameId: named.id } : input;
    const identified = await this.#identify(kind, asked, credentials, bySecret);
    refuseOtherGame(named, identified.game);
    const { caller, game } = identified;
    if (game) {
      const checking = this.#check(game, bySecret, credentials, kind !== 'public');
      if (checking) await checking;
    }
    const server = isLeftOut(credentials.launcherJwt) ? bySecret : null;
    const hasSecret = bySecret !== null && bySecret.id === game?.id;
    const authenticated: Authenticated = { caller, game, server, hasSecret };
    if (isForInput) authenticated.gameId = named.id;
    return authenticated;
  }

  /**
   * The one game that these ids and slugs name; null: there are none.
   * @throws GantryError `game_unknown`; `game_mismatch` when they name several
   */
  async namedGame(names: readonly string[] = []): Promise<Game | null> {
    let named: Game | null = null;
    for (const name of new Set(names)) {
      const game = (await this.#db.read(findGame, name)) ?? (await this.#db.read(findGameBySlug, name));
      if (!game) throw new GantryError('game_unknown', 'There is no game with the id or slug of the address');
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
    if (endedAt !== null) {
      throw new GantryError(
        'session_ended',
        `The channel session of this launcherJwt has ended (${endReason}); sign in again`,
      );
    }
    return details;
  }

  /**
   * The game whose secret an `Authorization` header shows, while the secret works.
   * @throws GantryError `secret_invalid`
   */
  async gameOfSecret(authorization: string): Promise<Game> {
    const game = await this.#db.read(findGameBySecret, hashOfSecret(bearerSecret(authorization)));
    if (!game) throw new GantryError('secret_invalid', 'The game secret is wrong or has expired');
    refuseArchived(game);
    return game;
  }

  /** @throws GantryError `origin_not_allowed` when the game names its origins and this is none of them */
  checkOrigin(game: Game, origin: string | undefined): void {
    if (origin === undefined || game.allowedOrigins.length === 0) return;
    if (game.allowedOrigins.includes(origin) || origin === this.#ownOrigin()) return;
    throw new GantryError('origin_not_allowed', `The game does not allow calls from ${origin}`);
  }

  /** A game's server may write for a wallet that was never seen: its player begins with that, as with a sign-in. */
  async ensurePlayer(wallet: string): Promise<void> {
    if ((await this.#db.read(findPlayer, wallet)) === null) await this.#db.write(setProfile, wallet, {});
  }

  async #identify(
    kind: Exclude<AuthKind, 'admin'>,
    input: Readonly<Record<string, unknown>>,
    credentials: Credentials,
    bySecret: Game | null,
  ): Promise<Identified> {
    switch (kind) {
      case 'player': {
        const caller = toCaller(await this.liveSession(credentials.launcherJwt));
        return { caller, game: caller.game };
      }
      case 'session': {
        const caller = toCaller(await this.#session(credentials.launcherJwt));
        return { caller, game: caller.game };
      }
      case 'player-or-server': {
        if (bySecret && isLeftOut(credentials.launcherJwt) && !isLeftOut(input.wallet)) {
          const wallet = await this.admittedWallet(bySecret, input.wallet);
          return { caller: { game: bySecret, wallet, session: null }, game: bySecret };
        }
        const caller = toCaller(await this.liveSession(credentials.launcherJwt));
        return { caller, game: caller.game };
      }
      case 'player-or-game': {
        if (bySecret && isLeftOut(credentials.launcherJwt)) {
          const wallet = isLeftOut(input.wallet) ? null : await this.admittedWallet(bySecret, input.wallet);
          return { caller: { game: bySecret, wallet, session: null }, game: bySecret };
        }
        const caller = toCaller(await this.liveSession(credentials.launcherJwt));
        return { caller, game: caller.game };
      }
      case 'game': {
        const game = bySecret ?? (await this.#namedGame(input.gameId, credentials.origin));
        if (!isLeftOut(input.gameId) && input.gameId !== game.id) throw wrongSecret();
        const { origin } = credentials;
        const page = origin !== undefined && game.allowedOrigins.includes(origin) ? origin : null;
        return { caller: { game, page }, game };
      }
      case 'game-secret': {
        if (!bySecret) throw secretRequired("This takes the game's secret");
        return { caller: { game: bySecret }, game: bySecret };
      }
      case 'sign-in': {
        const game =
          typeof input.channelId === 'string' ? await this.#db.read(findGameOfSignIn, input.channelId) : null;
        return { caller: null, game };
      }
      case 'public': {
        const game =
          typeof input.gameId === 'string' ? await this.#db.read(findGame, input.gameId) : bySecret;
        return { caller: null, game };
      }
    }
  }

  /**
   * Whom a game's server acts for.
   * @throws GantryError `address_invalid`, `player_banned`; of a guest `player_unknown`, `guest_upgraded`
   */
  async admittedWallet(game: Game, named: unknown): Promise<string> {
    const { data: wallet, error } = addressInput.safeParse(named);
    if (wallet === undefined) {
      const field = { path: 'wallet', message: error?.issues[0]?.message ?? 'is no address' };
      throw new GantryError('address_invalid', `${field.path}: ${field.message}`, { fields: [field] });
    }
    if (isGuestAddress(wallet)) {
      refuseFormerGuest(await this.#db.read(findGuest, wallet), { toName: true });
    }
    const owner: Owner = { gameId: game.id, wallet };
    if (await this.#db.read(isBanned, owner)) {
      throw new GantryError('player_banned', 'This player has been banned here, so nobody acts for them');
    }
    return wallet;
  }

  /**
   * What holds for every call on behalf of a game; a public read needs no secret, but a wrong one is refused. A promise
   * where there is a signature to check.
   */
  #check(
    game: Game,
    bySecret: Game | null,
    credentials: Credentials,
    asTheGame: boolean,
  ): Promise<void> | undefined {
    if (bySecret && asTheGame && bySecret.id !== game.id) throw wrongSecret();
    if (asTheGame) {
      refuseArchived(game);
      this.checkOrigin(game, credentials.origin);
    }
    if (asTheGame && game.policies.requireSecret && !bySecret) {
      throw secretRequired('This game wants its secret with every call');
    }
    const { signature } = credentials;
    if (signature && isSigned(signature)) {
      return checkRequestSignature(signature, game, this.#db, this.#box);
    }
    if (asTheGame && game.policies.requireSignature !== 'no') {
      throw new GantryError(
        'signature_required',
        'This game wants every call signed: send X-Request-Nonce and X-Request-Signature',
      );
    }
    return undefined;
  }

  async #session(token: unknown): Promise<SessionDetails> {
    if (token === undefined || token === null || token === '') {
      throw new GantryError(
        'token_missing',
        "launcherJwt is missing; sign in to get one. A game's server sends its secret and wallet instead, where that is served",
      );
    }
    if (typeof token !== 'string') throw new GantryError('token_invalid', 'launcherJwt must be a string');
    const details = await this.#tokens.verify(token, (sessionId) => this.#db.read(findSession, sessionId));
    if (!details)
      throw new GantryError('token_invalid', 'launcherJwt is of a session this server does not know');
    return details;
  }

  async #namedGame(gameId: unknown, origin: string | undefined): Promise<Game> {
    if (typeof gameId === 'string' && gameId !== '') {
      const game = await this.#db.read(findGame, gameId);
      if (!game) throw new GantryError('game_unknown', 'There is no game with this id');
      return game;
    }
    const [only, ...others] = origin === undefined ? [] : await this.#db.read(findGamesByOrigin, origin);
    if (only && others.length === 0) return only;
    throw new GantryError(
      'secret_required',
      'Say which game this is for: send gameId, the game secret (Authorization: Bearer <secret>), or call from an allowed origin',
    );
  }
}

function toCaller(details: SessionDetails): SessionCaller {
  return { ...details, wallet: details.session.wallet };
}

/** An address is of one game, and nobody acts in another by it. @throws GantryError `game_mismatch` */
export function refuseOtherGame(named: Game | null, game: Game | null): void {
  if (!named || !game || named.id === game.id) return;
  throw new GantryError('game_mismatch', 'The address names another game than the call is for');
}

/** Clients in typed languages send null or an empty text. */
function isLeftOut(sent: unknown): boolean {
  return sent === undefined || sent === null || sent === '';
}

function secretRequired(why: string): GantryError {
  return new GantryError('secret_required', `${why}: Authorization: Bearer <secret>`);
}

function wrongSecret(): GantryError {
  return new GantryError('secret_invalid', 'The game secret belongs to another game');
}
