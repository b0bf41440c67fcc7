/** One value of a scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const labelPair = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\[\\\\"n])*)"';
const sampleLine = new RegExp(`^(${metricName})(?:\\{((?:${labelPair})(?:,${labelPair})*)?\\})? (\\S+)$`);

/**
 * Reads Prometheus' text format 0.0.4 as strictly as `promtool check metrics` does: every family has one HELP
 * and one TYPE before its samples, which follow each other; no sample comes twice; names and labels are legal;
 * counters end in _total; a histogram's buckets count upwards to an +Inf that equals its _count.
 * @throws Error that says which line is wrong
 */
export function readExposition(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const finished = new Set<string>();
  const samples: Sample[] = [];
  let family: string | null = null;
  for (const line of text.split('\n')) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    if (line === '') continue;
    const comment = new RegExp(`^# (HELP|TYPE) (${metricName}) (.+)$`).exec(line);
    if (comment) {
      const [, kind, name = '', rest = ''] = comment;
      if (kind === 'HELP') {
        if (helped.has(name)) fail('a second HELP');
        helped.add(name);
        if (family !== null) finished.add(family);
        family = name;
      } else {
        if (types.has(name)) fail('a second TYPE');
        if (name !== family) fail('a TYPE away from its HELP');
        if (!['counter', 'gauge', 'histogram', 'summary'].includes(rest)) fail('an unknown type');
        if (rest === 'counter' && !name.endsWith('_total')) fail('a counter that does not end in _total');
        types.set(name, rest);
      }
      continue;
    }
    const match = sampleLine.exec(line) ?? fail('not a sample');
    const [, name = '', pairs = ''] = match;
    const raw = match.at(-1) ?? '';
    const value = /^[+-]?Inf$/.test(raw) ? Number(raw.replace('Inf', 'Infinity')) : Number(raw);
    if (Number.isNaN(value) && raw.toLowerCase() !== 'nan') fail('not a number');
    const labels = Object.fromEntries(
      [...pairs.matchAll(new RegExp(labelPair, 'g'))].map(([, key = '', text = '']) => [key, text]),
    );
    const base = name.replace(/_(bucket|sum|count)$/, '');
    const owner = types.has(name)
      ? name
      : types.get(base) === 'histogram'
        ? base
        : fail('a sample without TYPE');
    if (owner !== family || finished.has(owner)) fail('a sample away from its family');
    const identity = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(identity)) fail('a duplicate sample');
    seen.add(identity);
    samples.push({ name, labels, value });
  }
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, samples);
  return samples;
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(
    samples.filter((one) => one.name === `${name}_bucket`),
    ({ labels: { le: _, ...rest } }) => JSON.stringify(rest),
  );
  for (const [labels, buckets] of series) {
    const bounds = buckets.map(({ labels: { le = '' } }) =>
      le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
    );
    const counts = buckets.map(({ value }) => value);
    const count = samples.find(
      (one) => one.name === `${name}_count` && JSON.stringify(one.labels) === labels,
    );
    const rises = (values: number[]) =>
      values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0));
    if (!rises(bounds) || new Set(bounds).size !== bounds.length)
      throw new Error(`${name}: bounds that do not rise`);
    if (!rises(counts)) throw new Error(`${name}: buckets that do not count upwards`);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${name}: no bucket +Inf`);
    if (count?.value !== counts.at(-1)) throw new Error(`${name}: +Inf and _count differ`);
    if (!samples.some((one) => one.name === `${name}_sum`)) throw new Error(`${name}: no _sum`);
  }
}
