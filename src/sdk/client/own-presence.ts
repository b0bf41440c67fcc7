import { GantryError } from './client-error.ts';
import type { SetStatusInput } from './operation-types.ts';

const status = 'setStatus';
/** What they set ends with the connection. */
const ofConnection = ['setCurrentGame', 'setRichPresence'] as const;
const remembered: readonly string[] = [status, ...ofConnection];

/** Why a handshake is refused for its status: PROTOCOL.md, section 3. */
const refusals: readonly string[] = ['input_invalid', 'not_a_launcher', 'words_not_allowed', 'muted'];

/** These belong to a connection. */
export const socketOnly: readonly string[] = [...remembered, 'followPresence', 'unfollowPresence'];

/** What the player shows to friends, remembered for the next connection. */
export class OwnPresence {
  readonly #inputs = new Map<string, object>();

  constructor(initial: SetStatusInput | undefined) {
    if (initial) this.#inputs.set(status, initial);
  }

  /** For the handshake, so that an invisible player is not seen between connecting and `setStatus`. */
  get status(): object | undefined {
    return this.#inputs.get(status);
  }

  /** What a new connection has to send again. */
  get toRepeat(): [(typeof ofConnection)[number], object][] {
    return ofConnection.flatMap((name) => {
      const input = this.#inputs.get(name);
      return input ? [[name, input] as [typeof name, object]] : [];
    });
  }

  /** Remembers the input of a call while it is made, and then unless the server has refused it. */
  async remember<Answer>(name: string, input: object, call: () => Promise<Answer>): Promise<Answer> {
    if (!remembered.includes(name)) return call();
    const before = this.#inputs.get(name);
    this.#inputs.set(name, input);
    try {
      return await call();
    } catch (error) {
      const isRefused = error instanceof GantryError && error.code > 0;
      if (isRefused && this.#inputs.get(name) === input) this.#restore(name, before);
      throw error;
    }
  }

  /** When a handshake was refused for its status: gives up its text, then the status. False: that was not why. */
  reduce(reason: string): boolean {
    if (!refusals.includes(reason)) return false;
    const { text, ...rest } = (this.status ?? {}) as Partial<SetStatusInput>;
    this.#restore(status, text ? rest : undefined);
    return rest.status !== undefined;
  }

  #restore(name: string, input: object | undefined): void {
    if (input) this.#inputs.set(name, input);
    else this.#inputs.delete(name);
  }
}
