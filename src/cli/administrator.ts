import type { z } from 'zod';
import { readConfig } from '../config.ts';
import { ConfigError } from '../core/config-error.ts';
import { GantryError } from '../core/errors.ts';
import { listGames } from '../features/games/operations/games.ts';
import type { AnyOperation, Operation } from '../features/operation.ts';
import { type Execute, executeLocally, withDataDirectory } from './as-administrator.ts';
import { executeOn } from './remote-server.ts';

/** What a command operates on: the server at `url`, with its admin token, or DATA_DIR when there is no URL. */
export interface Target {
  url?: URL;
  token?: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Executes operations as an administrator, on DATA_DIR or on a remote server. */
export class Administrator {
  readonly #target: () => Target;

  constructor(target: () => Target) {
    this.#target = target;
  }

  /** The server it operates on; undefined when it is DATA_DIR. */
  get url(): URL | undefined {
    return this.#target().url;
  }

  /** Whether it is a server at a URL. */
  get isRemote(): boolean {
    return this.url !== undefined;
  }

  /** `input` may be all options of a command: those that are not the operation's, such as `--url`, are left out. */
  async execute<In extends z.ZodObject, Out extends z.ZodType>(
    operation: Operation<string, 'admin' | 'public', In, Out> | Operation<string, 'admin', In, Out>,
    input: z.input<In>,
  ): Promise<z.output<Out>> {
    const fields = Object.entries(input).filter(([name]) => Object.hasOwn(operation.input.shape, name));
    const output = await this.executeNamed(operation, Object.fromEntries(fields));
    // `defineOperation` checks that a handler returns the type of the output.
    return output as z.output<Out>;
  }

  /** Like `execute`, for an operation that was looked up by name. */
  executeNamed(operation: AnyOperation, input: unknown): Promise<unknown> {
    if (!this.isRemote) return executeLocally(operation, input);
    return this.connected((execute) => execute(operation, input));
  }

  /** Runs several operations in sequence on one connection. */
  connected<Result>(use: (execute: Execute) => Promise<Result>): Promise<Result> {
    const { url, token = readConfig().adminToken } = this.#target();
    if (url === undefined) return withDataDirectory(use);
    if (token === undefined) {
      throw new ConfigError(`${url.origin} requires its admin token: pass --token or set ADMIN_TOKEN`);
    }
    return use(executeOn(url, token));
  }

  /**
   * Resolves a game's id or slug to its id.
   * @throws GantryError `game_unknown`
   */
  async gameId(given: string): Promise<string> {
    if (uuid.test(given)) return given;
    const { games } = await this.execute(listGames, {});
    return gameAmong(games, given).gameId;
  }

  /** Like `gameId`, for an optional game. */
  async optionalGameId(given: string | undefined): Promise<string | undefined> {
    return given === undefined ? undefined : this.gameId(given);
  }
}

/** The game with an id or slug. @throws GantryError `game_unknown` */
export function gameAmong<Game extends { gameId: string; slug: string }>(
  games: readonly Game[],
  given: string,
): Game {
  const game = games.find(({ gameId, slug }) => gameId === given || slug === given);
  if (!game) throw new GantryError('game_unknown', `There is no game with the ID or slug ${given}`);
  return game;
}
