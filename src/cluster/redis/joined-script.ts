import type { Redis } from 'ioredis';

/** More at once would hold up Redis, and this process, for longer than a millisecond. */
const mostRuns = 100;

/** What a run of a script is called with. */
export interface ScriptRun {
  keys: readonly string[];
  args: readonly (string | number)[];
}

export interface ScriptSource {
  /** Names it among the commands of the client. */
  name: string;
  /** The names of its keys and arguments, which are strings. */
  keys: readonly string[];
  args: readonly string[];
  /** Lua that is executed once before the runs. */
  before?: string;
  /** Lua of a run, which returns its reply. */
  lua: string;
}

type Send<Reply> = (keys: number, ...words: (string | number)[]) => Promise<Reply[]>;

interface WaitingRun<Reply> {
  run: ScriptRun;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** A script of which up to a hundred runs are one command, which costs Redis and this process little more than one run. */
export class JoinedScript<Reply> {
  readonly #send: Send<Reply>;
  #waiting: WaitingRun<Reply>[] = [];

  constructor(redis: Redis, source: ScriptSource) {
    redis.defineCommand(source.name, { lua: luaOf(source) });
    const { [source.name]: send } = redis as unknown as Record<string, Send<Reply>>;
    if (!send) throw new Error(`There is no command ${source.name}`); // `defineCommand` has just made it
    this.#send = send.bind(redis);
  }

  /** Runs it with whatever else is asked for in this turn of the event loop. */
  run(run: ScriptRun): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ run, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#runWaiting());
    });
  }

  /** Runs it for each of these, which are sent at once; returns their replies in this order. */
  async runAll(runs: readonly ScriptRun[]): Promise<Reply[]> {
    const sent: Promise<Reply[]>[] = [];
    for (let at = 0; at < runs.length; at += mostRuns) {
      const together = runs.slice(at, at + mostRuns);
      const keys = together.flatMap((run) => run.keys);
      sent.push(this.#send(keys.length, ...keys, ...together.flatMap(({ args }) => args)));
    }
    const replies: Reply[] = [];
    for (const part of await Promise.all(sent)) replies.push(...part);
    return replies;
  }

  #runWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.runAll(waiting.map(({ run }) => run)).then(
      (replies) => {
        for (const [at, reply] of replies.entries()) waiting[at]?.resolve(reply);
      },
      (error: unknown) => {
        for (const { reject } of waiting) reject(error);
      },
    );
  }
}

function luaOf({ keys, args, before = '', lua }: ScriptSource): string {
  const valuesOf = (names: readonly string[], of: string) =>
    names.map((_, at) => `${of}[(run - 1) * ${names.length} + ${at + 1}]`);
  const values = [...valuesOf(keys, 'KEYS'), ...valuesOf(args, 'ARGV')];
  return `${before}
    local function reply(${[...keys, ...args].join(', ')})
      ${lua}
    end
    local replies = {}
    for run = 1, #KEYS / ${keys.length} do
      replies[run] = reply(${values.join(', ')})
    end
    return replies`;
}
