import type { Store } from '../../core/storage/store.ts';
import type { ChannelSession, SessionDetails } from '../../features/sessions/channel-session.ts';
import { expireSession } from '../../features/sessions/commands.ts';
import { findSession } from '../../features/sessions/queries.ts';
import { Alarm } from '../../runtime/timeouts.ts';

/** How long before the end of a session its socket prepares for a renewal, which may come in the last moment. */
const leadMs = 2_000;
/** After an error, such as an unavailable database. */
const retryMs = 1_000;

/** What all sockets share. */
export interface ExpiryServices {
  db: Pick<Store, 'now' | 'read' | 'write'>;
  track(work: Promise<unknown>): void;
}

export interface ExpiringSession {
  /** Called shortly before the session would expire, and again when it has been renewed after that, on any node. */
  onEnding(details: SessionDetails): Promise<void>;
}

/** Ends a session when it expires, however often it is renewed until then. */
export class SessionExpiry extends Alarm {
  readonly #id: string;
  readonly #services: ExpiryServices;
  readonly #session: ExpiringSession;
  /** When it expires, as far as is known. */
  #end: number;
  /** It ends when this rings next; otherwise it is about to. */
  #isLast = false;
  #isCancelled = false;

  constructor({ id, expiresAt }: ChannelSession, services: ExpiryServices, session: ExpiringSession) {
    super();
    this.#id = id;
    this.#services = services;
    this.#session = session;
    this.#end = expiresAt;
    this.set(expiresAt - leadMs);
  }

  override cancel(): void {
    this.#isCancelled = true;
    super.cancel();
  }

  protected override now(): number {
    return this.#services.db.now();
  }

  protected override ring(): void {
    this.#services.track(this.#checkOrRetry());
  }

  async #checkOrRetry(): Promise<void> {
    try {
      await this.#check();
    } catch (error) {
      if (!this.#isCancelled) this.set(this.now() + retryMs);
      throw error;
    }
  }

  async #check(): Promise<void> {
    const { db } = this.#services;
    if (this.#isLast) await db.write(expireSession, this.#id);
    const found = await db.read(findSession, this.#id);
    if (this.#isCancelled || !found || found.session.endedAt !== null) return;
    const until = found.session.expiresAt;
    const rangAt = this.#isLast ? this.#end : this.#end - leadMs;
    if (rangAt < until) await this.#session.onEnding(found);
    if (this.#isCancelled) return;
    this.#isLast = until <= this.#end;
    this.#end = until;
    this.set(this.#isLast ? until : until - leadMs);
  }
}
