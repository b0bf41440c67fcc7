import { GantryError } from './client-error.ts';
import type { ClientOptions } from './client-options.ts';
import { GantryClient } from './gantry-client.ts';
import { isFramed, tokenOfAddress, tokenOfParent } from './launcher-token.ts';
import { type SignedIn, signedInWith } from './player.ts';
import { patiently } from './retries.ts';
import { type GuestOptions, signInAsGuest, signInWithWallet, type WalletOptions } from './sign-in.ts';
import { isSavedFor, launcherStore, localStorageStore, type Saved, type Store, savedFor } from './store.ts';

/** How long signing in is tried again, in milliseconds. */
const signInMs = 60_000;
/** A stored session that ends sooner is not continued, in milliseconds. */
const minRemainingMs = 60_000;

export interface ConnectOptions extends ClientOptions, Omit<GuestOptions, 'gameId'> {
  /** The game's slug or id. */
  game: string;
  /** The origins of pages that may pass a token to the game; by default, any page that contains it may. */
  launcherOrigins?: readonly string[] | undefined;
  /** How long signing in is tried again while the server asks to wait or does not answer, in milliseconds. Default 60,000. */
  signInTimeoutMs?: number | undefined;
}

/** A player's session, where to keep what belongs to the player, and how to sign in again. */
interface Account {
  signedIn: SignedIn;
  /** Whether the player opened the session. */
  isOwn: boolean;
  store?: Store | undefined;
  renew?: ClientOptions['renew'];
}

/** Options whose defaults are settled, and until when signing in is tried again, in Unix milliseconds. */
type Settled = ConnectOptions & { store: Store; endsAt: number };

/**
 * Connects the player: the one whose launcher opened the game; otherwise the guest in the store; otherwise a new guest.
 * Resolves when the connection is live. @throws GantryError
 */
export async function connect(options: ConnectOptions): Promise<GantryClient> {
  const settled = settle(options);
  const { store, launcherOrigins, launcherJwt } = settled;
  const askParent = isFramed() ? () => tokenOfParent(launcherOrigins) : undefined;
  const ofLauncher = async (token: string): Promise<Account> => {
    const { isOwn, ...signedIn } = await withToken(settled, token);
    const { player } = signedIn;
    const isStored = isSavedFor(store.load() ?? {}, player);
    return { signedIn, isOwn, store: isStored ? store : launcherStore(store, player), renew: askParent };
  };
  if (launcherJwt !== undefined) return opened(settled, await ofLauncher(launcherJwt));
  for (const source of [tokenOfAddress, askParent]) {
    const token = await source?.();
    const account = token ? await unlessRefused(ofLauncher(token)) : null;
    if (account) return opened(settled, account);
  }
  return opened(settled, await ofStore(settled));
}

/** As `connect`, but never with a launcher's token. @throws GantryError */
export async function connectAsGuest({
  gameId,
  ...options
}: ClientOptions & GuestOptions & Pick<ConnectOptions, 'signInTimeoutMs'>): Promise<GantryClient> {
  const settled = settle({ ...options, game: gameId });
  return opened(settled, await ofStore(settled));
}

/** Signs in with a wallet and connects. @throws GantryError */
export async function connectWithWallet(options: ClientOptions & WalletOptions): Promise<GantryClient> {
  const signedIn = await signInWithWallet(options);
  const { store } = options;
  store?.save(savedFor(store.load() ?? {}, signedIn.player));
  return opened(options, { signedIn, isOwn: true, store });
}

/** The player in the store, or a new guest. @throws GantryError */
async function ofStore(options: Settled): Promise<Account> {
  const { url, gameVersion, game: gameId, deviceName, username, store } = options;
  const saved = store.load() ?? {};
  const { session, wallet } = saved;
  const deviceSecret = options.deviceSecret ?? saved.deviceSecret;
  const renew =
    deviceSecret === undefined ? undefined : () => signInAsGuest({ url, gameVersion, gameId, deviceSecret });
  const isSame = options.deviceSecret === undefined || options.deviceSecret === saved.deviceSecret;
  if (session && isSame && session.expiresAt > Date.now() + minRemainingMs) {
    const stored = await unlessRefused(withToken(options, session.launcherJwt));
    if (stored) {
      const { isOwn, ...signedIn } = stored;
      return { signedIn, isOwn, store, renew };
    }
  }
  if (deviceSecret === undefined && wallet !== undefined) {
    const message = 'The session of this player, who signed in with a wallet, has ended: sign in again';
    throw new GantryError({ message, code: 401, data: { reason: 'session_ended' } });
  }
  const guest = await tryFor(options, () =>
    signInAsGuest({ url, gameVersion, gameId, deviceSecret, deviceName, username }),
  );
  const { deviceSecret: secret, launcherJwt, expiresAt, player } = guest;
  store.save({
    ...savedFor(saved, player),
    deviceSecret: secret,
    wallet: player.wallet,
    userId: player.userId,
    session: { launcherJwt, expiresAt },
  });
  const again = () => signInAsGuest({ url, gameVersion, gameId, deviceSecret: secret });
  return { signedIn: guest, isOwn: true, store, renew: again };
}

/** A live client. @throws GantryError */
async function opened(
  options: ClientOptions,
  { signedIn, isOwn, store, renew }: Account,
): Promise<GantryClient> {
  const { launcherJwt, player, expiresAt } = signedIn;
  const client = new GantryClient({
    ...options,
    renew: options.renew ?? renew,
    store,
    launcherJwt,
    player,
    ...(isOwn && { expiresAt }),
  });
  const release = client.hold();
  try {
    await client.ready();
  } catch (error) {
    client.close();
    throw error;
  }
  setTimeout(release); // after the caller has added listeners
  return client;
}

function withToken(options: Settled, launcherJwt: string) {
  return tryFor(options, () => signedInWith(options, launcherJwt, options.game));
}

async function unlessRefused<Result>(attempt: Promise<Result>): Promise<Result | null> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof GantryError && error.code === 401) return null;
    throw error;
  }
}

function tryFor<Result>({ endsAt }: Settled, attempt: () => Promise<Result>): Promise<Result> {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return patiently(attempt, pause, (ms) => Date.now() + ms <= endsAt);
}

function settle(options: ConnectOptions): Settled {
  const { store = defaultStore(options), signInTimeoutMs = signInMs } = options;
  return { ...options, store, endsAt: Date.now() + signInTimeoutMs };
}

function defaultStore({ url, game }: ConnectOptions): Store {
  let kept: Saved | null = null;
  const inMemory = {
    load: () => kept,
    save: (saved: Saved) => {
      kept = saved;
    },
  };
  if (typeof document === 'undefined') return inMemory;
  try {
    // A page may not use it in a frame with an opaque origin, or when cookies are disabled.
    return localStorage ? localStorageStore(`gantry:${url}:${game}`) : inMemory;
  } catch {
    return inMemory;
  }
}
