import { neverChosen, type StatusChoice } from './player-part.ts';

/** How long a status is remembered after the player's last connection. */
const rememberedMs = 10 * 60_000;

interface Remembered {
  readonly choice: StatusChoice;
  readonly until: number;
  /** The player has left this node. */
  readonly isOwn: boolean;
}

/** Statuses of players who have left. */
export class RememberedChoices {
  /** In the order in which they expire. */
  readonly #choices = new Map<string, Remembered>();

  of(wallet: string): StatusChoice {
    return this.#choices.get(wallet)?.choice ?? neverChosen;
  }

  /** `isOwn`: the player has left this node, not another one. */
  add(wallet: string, { status, text, statusAt }: StatusChoice, now: number, isOwn: boolean): void {
    this.#choices.delete(wallet);
    this.#choices.set(wallet, { choice: { status, text, statusAt }, until: now + rememberedMs, isOwn });
  }

  forget(now: number): void {
    for (const [wallet, { until }] of this.#choices) {
      if (until > now) return;
      this.#choices.delete(wallet);
    }
  }

  /** Those of players who have left this node. */
  own(): (readonly [wallet: string, choice: StatusChoice])[] {
    return [...this.#choices]
      .filter(([, { isOwn }]) => isOwn)
      .map(([wallet, { choice }]) => [wallet, choice] as const);
  }
}
