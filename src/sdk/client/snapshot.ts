/** Items by wallet: read when they are stale, and kept up to date by changes, also by those that arrive meanwhile. */
export class Snapshot<Item extends { wallet: string }> {
  items = new Map<string, Item>();
  isStale = true;
  readonly #read: () => Promise<Item[]>;
  /** The changes since the items were requested; null: they are applied immediately. */
  #changes: (() => void)[] | null = null;

  constructor(read: () => Promise<Item[]>) {
    this.#read = read;
  }

  /** @throws what `read` throws; the items are still stale then */
  async load(): Promise<void> {
    const changes: (() => void)[] = [];
    this.#changes = changes;
    this.isStale = false;
    try {
      const items = await this.#read();
      this.items = new Map(items.map((item) => [item.wallet, item]));
    } catch (error) {
      this.isStale = true;
      throw error;
    } finally {
      this.#changes = null;
    }
    for (const change of changes) change();
  }

  change(change: () => void): void {
    if (this.#changes) this.#changes.push(change);
    else change();
  }
}
