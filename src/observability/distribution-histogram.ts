import { Histogram, type MetricValueWithName } from 'prom-client';
import type { Distribution } from './tally.ts';

export interface Labelled {
  labels: Record<string, string>;
  distribution: Distribution;
}

/**
 * A histogram of what is counted elsewhere, in another thread or where the library's own counting would cost
 * too much: it is read when somebody asks for it.
 */
export class DistributionHistogram extends Histogram {
  readonly #about: { name: string; help: string };
  readonly #read: () => Iterable<Labelled> | Promise<Iterable<Labelled>>;

  constructor(
    configuration: ConstructorParameters<typeof Histogram>[0],
    read: () => Iterable<Labelled> | Promise<Iterable<Labelled>>,
  ) {
    super(configuration);
    this.#about = { name: configuration.name, help: configuration.help };
    this.#read = read;
  }

  /** What the library asks for, for its text and its JSON; its types leave it out. */
  async getForPromString() {
    const { name, help } = this.#about;
    const values = [...(await this.#read())].flatMap((one) => seriesOf(name, one));
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}

function seriesOf(name: string, { labels, distribution }: Labelled): MetricValueWithName<string>[] {
  const { bounds, counts, sum } = distribution;
  let upTo = 0;
  const buckets = counts.map((count, bucket) => {
    upTo += count;
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bounds[bucket] ?? '+Inf' },
      value: upTo,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: upTo },
  ];
}
