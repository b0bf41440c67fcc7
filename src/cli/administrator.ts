import type { z } from 'zod';
import { ConfigError, readConfig } from '../config.ts';
import { GantryError } from '../errors.ts';
import { listGames } from '../games/operations/list-games.ts';
import type { AnyOperation, Operation } from '../operations/define.ts';
import { type Execute, withDataDirectory } from './as-administrator.ts';
import { executeOn } from './remote-server.ts';

/** What a command works on: the server at `url`, with its admin token, or, without one, DATA_DIR. */
export interface Target {
  url?: URL;
  token?: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Carries out commands with an administrator's rights, on DATA_DIR or on a server elsewhere. */
export class Administrator {
  readonly #target: () => Target;

  constructor(target: () => Target) {
    this.#target = target;
  }

  async execute<In extends z.ZodObject, Out extends z.ZodType>(
    operation: Operation<string, 'admin' | 'public', In, Out> | Operation<string, 'admin', In, Out>,
    input: z.input<In>,
  ): Promise<z.output<Out>> {
    const answer = await this.executeNamed(operation, input);
    // The handler's answer is of the output's type, which `defineOperation` has checked.
    return answer as z.output<Out>;
  }

  /** As `execute`, for an operation that was looked up by name. */
  executeNamed(operation: AnyOperation, input: unknown): Promise<unknown> {
    return this.connected((execute) => execute(operation, input));
  }

  /** For several operations, one after the other. */
  connected<Result>(use: (execute: Execute) => Promise<Result>): Promise<Result> {
    const { url, token = readConfig().adminToken } = this.#target();
    if (url === undefined) return withDataDirectory(use);
    if (token === undefined) {
      throw new ConfigError(`${url.origin} wants its admin token: give it with --token, or in ADMIN_TOKEN`);
    }
    return use(executeOn(url, token));
  }

  /**
   * The id of a game that is given by its id or its slug.
   * @throws GantryError `game_unknown`
   */
  async gameId(given: string): Promise<string> {
    if (uuid.test(given)) return given;
    const { games } = await this.execute(listGames, {});
    const game = games.find(({ slug }) => slug === given);
    if (!game) throw new GantryError('game_unknown', `There is no game with the ID or slug ${given}`);
    return game.gameId;
  }

  /** As `gameId`, of a game that need not be given. */
  async optionalGameId(given: string | undefined): Promise<string | undefined> {
    return given === undefined ? undefined : this.gameId(given);
  }
}
