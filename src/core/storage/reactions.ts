import { type EmittedEvent, forEach, type Steps, type Tx } from './command.ts';

/** Runs for an event within the transaction that wrote it: see `server/declarations/reactions.ts`. */
export type Reaction = (tx: Tx, event: EmittedEvent) => Steps<void>;

/** Runs a command, then the reaction to each emitted event, including events emitted by reactions. */
export function* withReactions<Result>(tx: Tx, steps: Steps<Result>, react: Reaction | null): Steps<Result> {
  const result = yield* steps;
  if (!react) return result;
  for (let from = 0; from < tx.events.length; ) {
    const emitted = tx.events.slice(from);
    from = tx.events.length;
    yield* forEach(tx, emitted, (event) => react(tx, event));
  }
  return result;
}
