import type { Logger } from 'pino';

/** How many different fields are logged: of one game, and of all. Callers choose their names. */
const lines = { ofGame: 50, ofAll: 1_000 };

/** Logs fields that calls have and their operations ignore, once for each operation, field and game. Values are not logged. */
export class IgnoredFieldLog {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #seen = new Set<string>();
  readonly #perGame = new Map<string, number>();

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  add(found: {
    operation: string;
    game: string | undefined;
    field: string;
    nearest: string | undefined;
  }): void {
    const { operation, game = '', field } = found;
    const key = `${game} ${operation} ${field}`;
    const ofGame = this.#perGame.get(game) ?? 0;
    if (this.#seen.size >= lines.ofAll || ofGame >= lines.ofGame || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#perGame.set(game, ofGame + 1);
    this.#logger.warn(found, 'a call has a field that its operation ignores');
  }
}
