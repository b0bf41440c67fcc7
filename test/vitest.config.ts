import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Changes a source file for servers that run in the tests' own processes; `link` connects it to a file of support/. */
function changed(file: string, asWritten: string, inTests: string, link: string, support: string): Plugin {
  return {
    name: `changed ${file}`,
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(`/src/${file}`)) return null;
      if (!code.includes(asWritten)) throw new Error(`${file} no longer has ${asWritten}`);
      const path = fileURLToPath(new URL(`support/${support}`, import.meta.url));
      return `${link} from '${path}';\n${code.replace(asWritten, inTests)}`;
    },
  };
}

const changes = [
  // Threads start from what test/compile.ts has compiled, and are shared.
  changed(
    'runtime/start-thread.ts',
    'export function startThread(',
    'function startThreadOfItsOwn(',
    'export { startThread }',
    'pooled-threads.ts',
  ),
  // New databases are copies of the first one.
  changed(
    'engines/sqlite/open-database.ts',
    'open(draft).close();',
    'newDatabase(draft, () => open(draft).close());',
    'import { newDatabase }',
    'new-database.ts',
  ),
];

/**
 * The slowest files, started first: started last, one of them would run alone when all others are done. Those of the
 * long tests that mostly wait alternate with those that keep a processor busy.
 */
const longest = [
  'release/release.long', // builds what six others use
  'pages/console',
  'trust/hostile-callers',
  'operations/session-origins',
  'operations/authorization',
  'pages/launcher',
  'pages/docs',
  'pages/launcher-people',
  'trust/erasing-a-player',
  'sdk/typescript',
  'operations/admin-parity',
  'auth/forged-tokens',
  'operations/admin-authorization',
  'storage/threaded-database',
  'storage/sqlite-database',
  'pages/administrators',
  'live/public-stream',
  'pages/docs-accessibility.long',
  'live/presence.long',
  'storage/postgres-database.long',
  'transports/slow-bodies.long',
  'sdk/csharp.long',
  'trust/raw-sockets.long',
  'pages/accessibility.long',
  'proxy/idle-connections.long',
  'sdk/gdscript.long',
  'runtime/compiled-program.long',
  'sdk/python.long',
  'trust/key-rotation.long',
  'pages/console-layout.long',
  'live/redis-failover.long',
  'sdk/chromium.long',
  'webhooks/killed.long',
  'storage/upgrades.long',
  'binary/executable.long',
  'first-hour/browser-game.long',
  'proxy/nginx.long',
  'docs/snippets.long',
  'live/lossy-bus.long',
  'trust/raw-websockets.long',
  'sdk/python-asyncio.long',
  'pages/console-load.long',
  'crash/power-loss.long',
  'package/package.long',
  'live/differing-clocks.long',
  'live/shutdown.long',
  'live/costly-sockets.long',
  'live/redis-outage.long',
  'pages/restart.long',
  'live/ledger.long',
  'live/slow-reader.long',
  'engines/postgres/sole-writer.long',
  'trust/fuzz.long',
].map((path) => `/test/${path}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Tests that kill, flood, pack or wait; together they take as long as all others. */
export const longTests = 'test/**/*.long.test.ts';

/** Settings shared by both configurations. */
export const shared = defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: changes,
  test: {
    globalSetup: ['test/memory-files.ts', 'test/compile.ts', 'test/postgres.ts'],
    sequence: { sequencer: LongestFirst },
    // Loading Gantry, several hundred modules, took nearly half of a file's test time. So a process loads it once and
    // runs file after file: none may leave state behind that affects another (a spy, an environment variable).
    isolate: false,
    // Tests leave much short-lived garbage, which a larger young generation collects in fewer passes: a tenth less
    // processor time. The programs that tests start do not inherit this.
    execArgv: ['--max-semi-space-size=32'],
    setupFiles: ['test/each-file.ts'],
    // Tests spend much of their time waiting for timers and disks: one worker more than there are processors keeps them
    // busy.
    maxWorkers: availableParallelism() + 1,
    // Tests start real servers, write to real files and wait for conditions. This limit ends a test that hangs: on a
    // busy machine, one that does not may take a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

export default mergeConfig(
  shared,
  defineConfig({ test: { include: ['test/**/*.test.ts'], exclude: [longTests, '**/node_modules/**'] } }),
);
