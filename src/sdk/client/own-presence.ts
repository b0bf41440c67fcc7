import { GantryError } from './client-error.ts';
import type { OwnStatus, SetStatusInput } from './operation-types.ts';

const status = 'setStatus';
/** What they set ends with the connection. */
const ofConnection = ['setCurrentGame', 'setRichPresence'] as const;
const remembered = [status, ...ofConnection] as const;
const follow = 'followPresence';
/** The status of a player who has chosen none. */
const unchosen: SetStatusInput = { status: 'online' };

/** Why a handshake is refused for its status: PROTOCOL.md, section 3. */
const refusals: readonly string[] = ['input_invalid', 'not_a_launcher', 'words_not_allowed', 'muted'];

/** These belong to a connection. */
export const socketOnly: readonly string[] = [...remembered, follow, 'unfollowPresence'];

interface Setting {
  readonly input: object;
  /** Whether the server has it is not known. In a handshake, a status does not count for a player connected elsewhere. */
  isUnanswered: boolean;
  /** It is being sent. */
  isPending?: boolean;
  /** By `performance.now()`; of the client's options: when a connection with it began, undefined before that. */
  chosenAt?: number;
}

/** With its age, so that it does not replace what the player has chosen later on another device. */
function aged({ input, chosenAt }: Setting): object {
  return chosenAt === undefined ? input : { ...input, ageMs: Math.round(performance.now() - chosenAt) };
}

/** What the player shows to friends, remembered for the next connection. */
export class OwnPresence {
  readonly #settings = new Map<string, Setting>();

  constructor(initial: SetStatusInput | undefined) {
    if (initial) this.#settings.set(status, { input: initial, isUnanswered: false });
  }

  /** For the handshake, so that an invisible player is not seen between connecting and `setStatus`. */
  get status(): object | undefined {
    const setting = this.#settings.get(status);
    return setting && aged(setting);
  }

  /** Sends over a new connection what has ended with the last one, and a status that was not answered. */
  repeat(call: (name: (typeof remembered)[number], input: object) => Promise<unknown>): void {
    const initial = this.#settings.get(status);
    if (initial) initial.chosenAt ??= performance.now();
    for (const name of remembered) {
      const setting = this.#settings.get(name);
      if (!setting || (name === status && !setting.isUnanswered)) continue;
      const answered = () => {
        setting.isUnanswered = false;
      };
      call(name, name === status ? aged(setting) : setting.input).then(answered, () => undefined); // lost with this connection, or refused by now
    }
  }

  /** Remembers the input of a call while it is made, and then unless the server has refused it. */
  async remember<Answer>(name: string, input: object, call: () => Promise<Answer>): Promise<Answer> {
    if (name === follow) {
      const answer = await call();
      this.learn((answer as { own?: OwnStatus }).own);
      return answer;
    }
    if (!(remembered as readonly string[]).includes(name)) return call();
    const before = this.#settings.get(name);
    const setting: Setting = { input, isUnanswered: false, isPending: true, chosenAt: performance.now() };
    this.#settings.set(name, setting);
    try {
      return await call();
    } catch (error) {
      const isRefused = error instanceof GantryError && error.code > 0;
      if (!isRefused) setting.isUnanswered = true;
      else if (this.#settings.get(name) === setting) this.#restore(name, before);
      throw error;
    } finally {
      setting.isPending = false;
    }
  }

  /**
   * The player's status according to the server: one that was chosen on another device replaces the remembered one,
   * which a server that has forgotten both would take for the latest.
   */
  learn(own: OwnStatus | undefined): void {
    const known = this.#settings.get(status);
    if (!own || known?.isPending || known?.isUnanswered) return;
    const { status: current, text = '' } = (known?.input ?? unchosen) as SetStatusInput;
    if (own.status === current && own.text === text) return;
    this.#settings.set(status, { input: own, isUnanswered: false, chosenAt: performance.now() });
  }

  /** When a handshake was refused for its status: gives up its text, then the status. False: that was not why. */
  reduce(reason: string): boolean {
    if (!refusals.includes(reason)) return false;
    const { input = {}, isUnanswered = false } = this.#settings.get(status) ?? {};
    const { text, ...rest } = input as Partial<SetStatusInput>;
    this.#restore(status, text ? { input: rest, isUnanswered } : undefined);
    return rest.status !== undefined;
  }

  #restore(name: string, setting: Setting | undefined): void {
    if (setting) this.#settings.set(name, setting);
    else this.#settings.delete(name);
  }
}
