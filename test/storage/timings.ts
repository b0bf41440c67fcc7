import { quantile } from '../bench/rounds.ts';

/** In milliseconds. */
export interface Times {
  p50: number;
  p99: number;
  max: number;
}

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/** How long each takes, the given number of times, in turns: a slow moment of the machine affects all of them. */
export async function timedInTurns<Name extends string>(
  runs: Readonly<Record<Name, (n: number) => Promise<unknown>>>,
  times: number,
): Promise<Record<Name, Times>> {
  const all = (Object.entries(runs) as [Name, (n: number) => Promise<unknown>][]).map(([name, run]) => ({
    name,
    run,
    values: [] as number[],
  }));
  for (let n = 0; n < times; n++) {
    for (const { run, values } of all) values.push(await timed(() => run(n)));
  }
  return Object.fromEntries(all.map(({ name, values }) => [name, timesOf(values)])) as Record<Name, Times>;
}

export function timesOf(values: readonly number[]): Times {
  return {
    p50: rounded(quantile(values, 0.5)),
    p99: rounded(quantile(values, 0.99)),
    max: rounded(Math.max(...values)),
  };
}

/** To hundredths. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
