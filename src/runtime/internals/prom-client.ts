import { Histogram, type MetricValueWithName } from 'prom-client';

/**
 * A histogram whose series are read when somebody asks for them. prom-client asks `getForPromString`, which its
 * types leave out; `test/runtime/internals.test.ts` fails when a version of it asks something else.
 */
export abstract class HistogramReadOnDemand extends Histogram {
  readonly #about: { name: string; help: string };

  constructor({ name, help, ...rest }: ConstructorParameters<typeof Histogram>[0]) {
    super({ name, help, ...rest });
    this.#about = { name, help };
  }

  /** The series by their names in the exposition format: `<name>_bucket`, `<name>_sum`, `<name>_count`. */
  protected abstract series(): Promise<MetricValueWithName<string>[]>;

  async getForPromString() {
    return { ...this.#about, type: 'histogram', aggregator: 'sum', values: await this.series() };
  }
}
