import { type EmittedEvent, ExclusiveTx, type Request, type Steps, type Tx } from './command.ts';

/**
 * Runs the same steps for each item, with the same result as running them sequentially. Their requests are loaded
 * together where an engine needs a round trip: one per step, not one per step and item.
 */
export function* forEach<Item, Result>(
  tx: Tx,
  items: readonly Item[],
  stepsOf: (item: Item, at: number) => Steps<Result>,
): Steps<Result[]> {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return [yield* stepsOf(only, 0)];
  const results: Result[] = [];
  if (tx instanceof ExclusiveTx) {
    // It is resumed, never restarted, so the steps of an item must not start before the previous ones have completed.
    for (const [at, item] of items.entries()) results.push(yield* stepsOf(item, at));
    return results;
  }
  let missed: Request<unknown> | undefined;
  for (const [at, item] of items.entries()) {
    try {
      const { done, value } = stepsOf(item, at).next();
      if (done) results.push(value);
      else missed ??= value;
    } catch (error) {
      // After an item that has not completed, the error may not be real; these steps run only to collect requests.
      if (!missed) throw error;
    }
  }
  // The engine loads the missed rows and restarts the whole command, which undoes what was done here.
  if (missed) {
    tx.mustRestart = true;
    yield missed;
    throw new Error('a command that must be restarted was resumed');
  }
  return results;
}

/** Runs for an event within the transaction that wrote it: see `Domain.react`. */
export type Reaction = (tx: Tx, event: EmittedEvent) => Steps<void>;

/**
 * Runs a command, then the reaction to each emitted event, including events emitted by reactions; not if the command asks
 * for none (`isWithoutReactions`).
 */
export function* withReactions<Result>(tx: Tx, steps: Steps<Result>, react: Reaction | null): Steps<Result> {
  const result = yield* steps;
  if (!react || tx.isWithoutReactions) return result;
  for (let from = 0; from < tx.events.length; ) {
    const emitted = tx.events.slice(from);
    from = tx.events.length;
    yield* forEach(tx, emitted, (event) => react(tx, event));
  }
  return result;
}
