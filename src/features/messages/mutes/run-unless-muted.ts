import type { Owner } from '../../../core/schemas/owner.ts';
import { type Command, command, type Steps } from '../../../core/storage/command.ts';
import { type FindCommand, runNested } from '../../../core/storage/nested-command.ts';
import type { Store } from '../../../core/storage/store.ts';
import { anyMute, refuseMuted } from './mute.ts';

/** Runs a command by name for a player who is not muted in the game; see `runUnlessMutedOf`. */
export type RunUnlessMuted = Command<
  [owner: Owner, path: string, commandName: string, args: readonly unknown[]],
  unknown
>;

/**
 * Runs a command by name that writes a text which other players see, from the field `path`, unless the player is muted
 * in the game. The mute is checked in the command's transaction, and muting takes the locks that such commands take, so
 * it applies to every write that commits after it. `find` looks up a command by name.
 */
export function runUnlessMutedOf(find: FindCommand): RunUnlessMuted {
  return command(
    'runUnlessMuted',
    function* (
      tx,
      owner: Owner,
      path: string,
      commandName: string,
      args: readonly unknown[],
    ): Steps<unknown> {
      tx.prefetch(anyMute(tx, owner));
      const result = yield* runNested(find, tx, commandName, args);
      yield* refuseMuted(tx, owner, { path });
      return result;
    },
  );
}

/** A store for one call that writes such a text: rejects writes while the player is muted in the game. */
export function unlessMuted(store: Store, runUnlessMuted: RunUnlessMuted, owner: Owner, path: string): Store {
  return {
    async write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) {
      return (await store.write(runUnlessMuted, owner, path, command.commandName, args)) as Result;
    },
    read: (query, ...args) => store.read(query, ...args),
    now: () => store.now(),
  };
}
