import { Histogram, type MetricValueWithName } from 'prom-client';

/**
 * A histogram whose series are collected on scrape. prom-client calls `getForPromString`, which its types omit;
 * `test/runtime/internals.test.ts` fails when a version calls something else.
 */
export abstract class HistogramReadOnDemand extends Histogram {
  readonly #metadata: { name: string; help: string };

  constructor({ name, help, ...rest }: ConstructorParameters<typeof Histogram>[0]) {
    super({ name, help, ...rest });
    this.#metadata = { name, help };
  }

  /** The series by their names in the exposition format: `<name>_bucket`, `<name>_sum`, `<name>_count`. */
  protected abstract series(): Promise<MetricValueWithName<string>[]>;

  async getForPromString() {
    return { ...this.#metadata, type: 'histogram', aggregator: 'sum', values: await this.series() };
  }
}
