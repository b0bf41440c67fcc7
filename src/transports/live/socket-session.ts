import type { NewStatus } from '../../cluster/players/player-part.ts';
import type { Presence } from '../../cluster/presence/presence.ts';
import type { Listener } from '../../core/events/stream.ts';
import type { Store } from '../../core/storage/store.ts';
import { budgetOf, type SessionDetails } from '../../features/sessions/channel-session.ts';
import type { LauncherTokens } from '../../features/sessions/launcher-token.ts';
import { announcePresence } from '../../features/sessions/session-presence.ts';
import type { Pace } from '../../runtime/pace.ts';
import type { CatchUp, Resumption } from './catch-up.ts';
import { listenerOf } from './push.ts';
import { type ExpiringSession, SessionExpiry } from './session-expiry.ts';
import type { SigningKey, SigningKeys } from './signing-keys.ts';
import type { CallOwner } from './socket-traffic.ts';
import type { Subscriptions } from './subscriptions.ts';

/** How long the token that a socket gets shortly before its session expires is valid beyond that, in milliseconds. */
const tokenOverlapMs = 60_000;

/** What the sessions of all sockets of a node share. */
export interface SocketSessionServices {
  tokens: Pick<LauncherTokens, 'keyOf'>;
  issueToken(details: SessionDetails): Promise<string>;
  db: Store;
  presence: Presence;
  signingKeys: SigningKeys;
  /** When arrivals and departures are recorded: those of a storm share commits. */
  presencePace: Pace;
  /** Registers work that may outlive the socket, for `close` to wait for. */
  track(work: Promise<unknown>): void;
}

/** A channel session on a socket, from its admission until the socket leaves. */
export class SocketSession implements ExpiringSession {
  readonly details: SessionDetails;
  /** The handshake's, or the latest one of a session that was renewed. */
  token: string;
  /** The handshake's. */
  readonly status: NewStatus | null;
  /** As `showsPlayer` when it connected. */
  readonly isShown: boolean;
  /** Whose events its socket receives. */
  readonly listener: Listener;
  readonly subscriptions: Subscriptions;
  /** Whom the bytes that it sends are charged to. */
  readonly owner: CallOwner;
  /** Sent when the socket starts, and then cleared. */
  resumptions: Record<string, Resumption> | null = null;
  readonly #socketId: string;
  readonly #services: SocketSessionServices;
  #catchUp: CatchUp | null = null;
  #expiry: SessionExpiry | null = null;
  #signingKey: SigningKey | null = null;
  #hasLeft = false;

  constructor(
    details: SessionDetails,
    {
      token,
      status,
      isShown,
      socketId,
    }: { token: string; status: NewStatus | null; isShown: boolean; socketId: string },
    subscriptions: Subscriptions,
    services: SocketSessionServices,
  ) {
    this.details = details;
    this.owner = { gameId: details.session.gameId, wallet: budgetOf(details.session) };
    this.token = token;
    this.status = status;
    this.isShown = isShown;
    this.listener = listenerOf(details, isShown);
    this.subscriptions = subscriptions;
    this.#socketId = socketId;
    this.#services = services;
  }

  /** Null before the catch-up begins and once the socket is live. */
  get catchUp(): CatchUp | null {
    return this.#catchUp;
  }

  set catchUp(catchUp: CatchUp | null) {
    this.#catchUp = catchUp;
    this.subscriptions.catchUp = catchUp;
  }

  /** Ends the session when it expires, or when its signing key is retired, until `leave`. */
  watch(): void {
    this.#rememberSigningKey();
    this.#expiry = new SessionExpiry(this.details.session, this.#services, this);
  }

  /**
   * Calls on this socket outlive the handshake's token, and the key that it is signed with: whether the session has been
   * renewed is read with every call, and no call comes between the end of a token and the next one.
   */
  async onEnding(details: SessionDetails): Promise<void> {
    const expiresAt = details.session.expiresAt + tokenOverlapMs;
    this.token = await this.#services.issueToken({ ...details, session: { ...details.session, expiresAt } });
    if (!this.#hasLeft) this.#rememberSigningKey();
  }

  /** Records that the socket has connected. Awaited, so that its own arrival precedes its first event. */
  async recordArrival(): Promise<void> {
    const { id } = this.details.session;
    if (await this.#services.presence.connected(id, this.#socketId)) await this.#announcePresence();
  }

  /** Call this once, when the socket is closed or another client follows on it. */
  leave(): void {
    this.#hasLeft = true;
    this.#expiry?.cancel();
    this.#forgetSigningKey();
    this.#catchUp?.cancel();
    this.#services.track(this.#recordDeparture());
  }

  async #recordDeparture(): Promise<void> {
    const { id } = this.details.session;
    if (await this.#services.presence.disconnected(id, this.#socketId)) await this.#announcePresence();
  }

  async #announcePresence(): Promise<void> {
    await this.#services.presencePace.turn();
    await announcePresence(this.#services, this.details.session.id);
  }

  #rememberSigningKey(): void {
    const { tokens, signingKeys } = this.#services;
    this.#forgetSigningKey();
    this.#signingKey = signingKeys.add(tokens.keyOf(this.token), this.#socketId, this.details.session.id);
  }

  #forgetSigningKey(): void {
    if (this.#signingKey) this.#services.signingKeys.remove(this.#signingKey, this.#socketId);
    this.#signingKey = null;
  }
}
