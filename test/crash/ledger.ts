/** Who posts on one of the connections. */
export interface Poster {
  wallet: string;
  launcherJwt: string;
  /** The message channel this player writes to. */
  channelId: string;
}

export type Kind = 'score' | 'repeated score' | 'message' | 'state';

/** One write that was asked for. `number` is its own among all, and what was written. */
export interface Entry {
  kind: Kind;
  wallet: string;
  channelId: string;
  number: number;
  answered: boolean;
}

/** What was asked of the server, and what of it was answered with success. */
export class Ledger {
  readonly entries: Entry[] = [];
  answeredCount = 0;
  #number = 0;

  /** Numbers grow, so that of two writes to the same place the later one has the larger. */
  nextNumber(): number {
    return ++this.#number;
  }

  asked(kind: Kind, { wallet, channelId }: Poster, number: number): Entry {
    const entry: Entry = { kind, wallet, channelId, number, answered: false };
    this.entries.push(entry);
    return entry;
  }

  answered(entry: Entry): void {
    entry.answered = true;
    this.answeredCount++;
  }
}
