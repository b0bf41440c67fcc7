/** Reports progress in place on standard error, only when that is a terminal, so that logs and pipes stay quiet. */
export class Progress {
  readonly #label: string;
  #shown = -1;

  constructor(label: string) {
    this.#label = label;
  }

  update(done: number, total: number): void {
    if (!process.stderr.isTTY) return;
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    if (percent <= this.#shown) return;
    this.#shown = percent;
    process.stderr.write(`\r${this.#label} ${percent} %`);
  }

  end(): void {
    if (this.#shown !== -1) process.stderr.write('\n');
  }
}
