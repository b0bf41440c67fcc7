import { until } from './until.ts';

/** Resolves in a later millisecond, so that what is written next has a later timestamp than what was written before. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await until('the next millisecond', () => Date.now() > now);
}
