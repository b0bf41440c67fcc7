import { clientError, GantryError } from './client-error.ts';
import type { CompleteOptions } from './client-options.ts';
import { callOverHttp } from './http-call.ts';
import type { OperationOutput } from './operation-types.ts';
import { type Player, signedInWith } from './player.ts';
import { patiently } from './retries.ts';

/** A renewal is checked for at least this often: timers stop while a device sleeps. In milliseconds. */
const maxWaitMs = 3_600_000;

/** A client's session: its token, which is renewed before it expires, and how to get the next one. */
export class Session {
  player: Player | null;
  /** Null: the session is not renewed. */
  expiresAt: number | null = null;
  #launcherJwt: string | undefined;
  readonly #options: CompleteOptions;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #changed: () => void;
  #isClosed = false;
  /** Whether the client has been live since it last signed in. */
  #isConfirmed = true;

  /** `pause` resolves early when the client is closed; `changed` is called when there is something to save. */
  constructor(options: CompleteOptions, pause: (ms: number) => Promise<void>, changed: () => void) {
    this.#options = options;
    this.#launcherJwt = options.launcherJwt;
    this.player = options.player ?? null;
    this.#pause = pause;
    this.#changed = changed;
    if (options.expiresAt !== undefined) this.#begin(options.expiresAt);
  }

  get launcherJwt(): string | undefined {
    return this.#launcherJwt;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The server has accepted the session. */
  confirm(): void {
    this.#isConfirmed = true;
  }

  get canSignIn(): boolean {
    return this.#options.renew !== undefined && this.#isConfirmed;
  }

  /**
   * Signs the same player in again, however long the server takes to answer. False when that is not possible.
   * @throws GantryError when the server refuses it
   */
  async signIn(): Promise<boolean> {
    const { renew } = this.#options;
    if (!renew || !this.canSignIn) return false;
    const signedIn = await this.#patiently(async () => {
      const next = await renew().catch((error) => {
        throw error instanceof GantryError
          ? error
          : clientError('connection_lost', `\`renew\` failed: ${error}`);
      });
      return typeof next === 'string' && next !== '' ? signedInWith(this.#options, next) : next;
    });
    if (!signedIn || (this.player && signedIn.wallet !== this.player.wallet)) return false;
    this.#isConfirmed = false;
    this.#launcherJwt = signedIn.launcherJwt;
    this.player = signedIn.player;
    if (this.expiresAt !== null) this.#begin(signedIn.expiresAt);
    this.#changed();
    return true;
  }

  /** Reads the player again, whose name or picture may have changed. */
  async readPlayer(): Promise<void> {
    const { player, launcherJwt } = this;
    if (player && launcherJwt) this.player = (await signedInWith(this.#options, launcherJwt)).player;
  }

  #begin(expiresAt: number): void {
    this.expiresAt = expiresAt;
    void this.#renewLate(expiresAt).catch(() => undefined); // it ends as it would have without
  }

  /** Renews the session in its last tenth. */
  async #renewLate(expiresAt: number): Promise<void> {
    const { launcherJwt } = this;
    const dueAt = expiresAt - (expiresAt - Date.now()) / 10;
    if (dueAt >= expiresAt) return; // this clock is wrong
    while (Date.now() < dueAt) {
      await this.#pause(Math.min(dueAt - Date.now(), maxWaitMs));
      if (this.#isClosed || launcherJwt !== this.launcherJwt) return;
    }
    const renew = () => callOverHttp(this.#options, 'renewChannelSession', { launcherJwt });
    const answer = await this.#patiently(renew);
    const renewed = answer as OperationOutput<'renewChannelSession'>;
    if (launcherJwt !== this.launcherJwt || renewed.expiresAt <= expiresAt) return;
    this.#launcherJwt = renewed.launcherJwt;
    this.#begin(renewed.expiresAt);
    this.#changed();
    await this.readPlayer();
  }

  #patiently<Result>(attempt: () => Promise<Result>): Promise<Result> {
    return patiently(attempt, this.#pause, () => !this.#isClosed);
  }
}
