const stepPercent = 10;

/**
 * Shows on standard error how far a long piece of work is, so that standard output stays for its result: in
 * place on a terminal, in a line every ten percent elsewhere.
 */
export class Progress {
  readonly #what: string;
  #shown = -1;

  constructor(what: string) {
    this.#what = what;
  }

  at(done: number, total: number): void {
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    const { isTTY } = process.stderr;
    const due = isTTY ? percent > this.#shown : percent >= this.#shown + stepPercent || this.#shown === -1;
    if (!due) return;
    this.#shown = isTTY ? percent : percent - (percent % stepPercent);
    process.stderr.write(isTTY ? `\r${this.#what} ${percent} %` : `${this.#what} ${this.#shown} %\n`);
  }

  end(): void {
    if (process.stderr.isTTY && this.#shown !== -1) process.stderr.write('\n');
  }
}
