import { Child, type ChildOptions } from './child.ts';

/** A server in a separate process, ours or a peer. */
export interface ServerProcess extends AsyncDisposable {
  child: Child;
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** From the start of the process until it printed that it listens, in milliseconds. */
  startMs: number;
}

/** Starts a server that prints `listening on <url>` once it accepts calls. */
async function startServer(script: URL, options: ChildOptions): Promise<ServerProcess> {
  const startedAt = performance.now();
  const child = new Child(script, options);
  const [, url = ''] = await child.printed(/listening on (http:\/\/\S+)/);
  return {
    child,
    url,
    startMs: performance.now() - startedAt,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** Starts a server of `peers/`. */
export function startPeer(name: string, options: ChildOptions = {}): Promise<ServerProcess> {
  return startServer(new URL(`./peers/${name}.ts`, import.meta.url), options);
}

/**
 * Starts Gantry on a data directory, as a user would, except for the rate limits, which would be measured instead of
 * the work behind them.
 */
export function startGantry(
  world: { dataDirectory: string; variables?: Record<string, string> },
  { cpuProfiles }: { cpuProfiles: string | undefined },
  nodeOptions: readonly string[] = [],
  variables: Record<string, string> = {},
  program: URL = new URL('../../src/gantry.js', import.meta.url),
): Promise<ServerProcess> {
  const profiling = cpuProfiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${cpuProfiles}`];
  return startServer(program, {
    args: ['serve'],
    nodeOptions: [...profiling, ...nodeOptions],
    variables: {
      PORT: '0',
      DATA_DIR: world.dataDirectory,
      GANTRY_DEMO: 'off',
      RATE_LIMIT_FACTOR: '1000000',
      STORAGE_QUOTA_MEGABYTES: '1048576',
      CONNECTIONS_PER_ADDRESS: '1000000',
      ...world.variables,
      ...variables,
    },
  });
}
