import type { Owner } from '../core/schemas/owner.ts';
import { type AnyCommand, type Command, command, type Steps, type Tx } from '../core/storage/command.ts';
import type { Database } from '../core/storage/database.ts';
import { anyMute, refuseMuted } from './refuse-muted.ts';

/** Runs a command by name for a player who is not muted in the game; see `runUnlessMutedOf`. */
export type RunUnlessMuted = Command<
  [owner: Owner, path: string, commandName: string, args: readonly unknown[]],
  unknown
>;

/**
 * Runs a command by name that writes a text others see, from the field `path`, unless the player is muted in the game.
 * The mute is checked in the command's transaction, and setting one takes the locks that such commands take, so that it
 * holds for every write that commits after it. `find` looks up a command by name.
 */
export function runUnlessMutedOf(find: (name: string) => AnyCommand | undefined): RunUnlessMuted {
  return command(
    'runUnlessMuted',
    function* (
      tx: Tx,
      owner: Owner,
      path: string,
      commandName: string,
      args: readonly unknown[],
    ): Steps<unknown> {
      const run = find(commandName);
      if (!run || run.isExclusive) throw new Error(`${commandName} cannot run inside another command`);
      tx.prefetch(anyMute(tx, owner));
      const result = yield* run(tx, ...(args as never));
      yield* refuseMuted(tx, owner, { path });
      return result;
    },
  );
}

/** A database for one call that writes such a text: rejects writes while the player is muted in the game. */
export function unlessMuted(
  db: Database,
  runUnlessMuted: RunUnlessMuted,
  owner: Owner,
  path: string,
): Database {
  return {
    async write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) {
      return (await db.write(runUnlessMuted, owner, path, command.commandName, args)) as Result;
    },
    read: (query, ...args) => db.read(query, ...args),
    onCommit: (listener) => db.onCommit(listener),
    onWake: (listener) => db.onWake(listener),
    onTrouble: (listener) => db.onTrouble(listener),
    onNewEpoch: (listener) => db.onNewEpoch(listener),
    stats: () => db.stats(),
    close: () => db.close(),
  };
}
