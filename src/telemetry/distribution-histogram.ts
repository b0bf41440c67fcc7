import type { Histogram, MetricValueWithName } from 'prom-client';
import type { HistogramSnapshot } from '../core/histogram.ts';
import { HistogramReadOnDemand } from '../runtime/internals/prom-client.ts';

export interface Labelled {
  labels: Record<string, string>;
  distribution: HistogramSnapshot;
}

/**
 * A histogram whose values are counted elsewhere, in another thread or where the library's own counting would cost too
 * much. It is read on each scrape.
 */
export class DistributionHistogram extends HistogramReadOnDemand {
  readonly #name: string;
  readonly #read: () => Iterable<Labelled> | Promise<Iterable<Labelled>>;

  constructor(
    configuration: ConstructorParameters<typeof Histogram>[0],
    read: () => Iterable<Labelled> | Promise<Iterable<Labelled>>,
  ) {
    super(configuration);
    this.#name = configuration.name;
    this.#read = read;
  }

  protected override async series(): Promise<MetricValueWithName<string>[]> {
    return [...(await this.#read())].flatMap((one) => seriesOf(this.#name, one));
  }
}

function seriesOf(name: string, { labels, distribution }: Labelled): MetricValueWithName<string>[] {
  const { bounds, counts, sum } = distribution;
  let cumulative = 0;
  const buckets = counts.map((count, bucket) => {
    cumulative += count;
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bounds[bucket] ?? '+Inf' },
      value: cumulative,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: cumulative },
  ];
}
