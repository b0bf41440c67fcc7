import type { Row, Settings } from './benchmark.ts';

/** The two measurements of one round. */
export interface Sides<Measure> {
  ours(): Promise<Measure>;
  against(): Promise<Measure>;
}

export type Figure = Pick<Row, 'name' | 'variant' | 'unit' | 'aim'>;

export interface RoundSettings extends Pick<Settings, 'rounds' | 'say'> {
  /** False when every round starts cold anyway. */
  warmUp?: boolean;
}

/** Measures both sides in turn and returns the row. */
export async function compare(figure: Figure, sides: Sides<number>, settings: RoundSettings): Promise<Row> {
  const { ours, against } = await interleave(figure, sides, settings);
  return toRow(figure, ours, against);
}

/**
 * Runs the rounds of all sides, one after the other, alternating which goes first: other load on the machine, and the
 * effects of the previous round, then affect all alike. The first round is a warm-up and is dropped.
 */
export async function interleave<Measure, Name extends string = keyof Sides<Measure>>(
  { name, variant }: Pick<Figure, 'name' | 'variant'>,
  sides: Readonly<Record<Name, () => Promise<Measure>>>,
  { rounds, say, warmUp = true }: RoundSettings,
): Promise<Record<Name, Measure[]>> {
  const names = Object.keys(sides) as Name[];
  const taken = {} as Record<Name, Measure[]>;
  for (const side of names) taken[side] = [];
  if (warmUp) {
    say(`${name}, ${variant}: warming up`);
    for (const side of names) await sides[side]();
  }
  for (let round = 1; round <= rounds; round++) {
    say(`${name}, ${variant}: round ${round} of ${rounds}`);
    for (const side of round % 2 === 1 ? names : names.toReversed()) taken[side].push(await sides[side]());
  }
  return taken;
}

/**
 * As `interleave`, with every round in short turns, so that a slow moment of the machine affects all sides alike. Returns
 * the turns of each round.
 */
export async function interleaveTurns<Measure, Name extends string = keyof Sides<Measure>>(
  figure: Pick<Figure, 'name' | 'variant'>,
  sides: Readonly<Record<Name, () => Promise<Measure>>>,
  { turns, ...settings }: RoundSettings & { turns: number },
): Promise<Record<Name, Measure[][]>> {
  const quiet = { rounds: turns, say: () => {}, warmUp: false };
  const rounds = { all: () => interleave(figure, sides, quiet) };
  const { all } = await interleave(figure, rounds, settings);
  const taken = {} as Record<Name, Measure[][]>;
  for (const side of Object.keys(sides) as Name[]) taken[side] = all.map((round) => round[side]);
  return taken;
}

/** The row of two lists of measurements, the nth of each from the same round. */
export function toRow(figure: Figure, ours: readonly number[], against: readonly number[]): Row {
  const ratios = ours.map((value, round) => value / (against[round] ?? Number.NaN));
  const ratio = median(ratios);
  return {
    ...figure,
    ratio,
    ours: median(ours),
    against: median(against),
    spread: Math.max(...ratios.map((one) => Math.abs(one - ratio))) / ratio,
    rounds: ours.length,
  };
}

/** The middle value, or the mean of the two in the middle; NaN for an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which a share of the values lies, interpolated if necessary; NaN for an empty list. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
