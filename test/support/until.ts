/** Resolves with the first value that is neither null, undefined nor false; rejects after `withinMs`. */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  withinMs = 120_000,
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== undefined && value !== false)
      return value as Exclude<T, null | undefined | false>;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
