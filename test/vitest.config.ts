import { existsSync } from 'node:fs';
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
 * The slowest files, started first: started last, one of them would run alone when all others are done. Slowest first;
 * those of the long tests that keep a processor busy alternate with those that mostly wait.
 */
const longest = [
  'release/release.long', // builds what six others use
  'trust/hostile-callers',
  'operations/authorization',
  'operations/session-origins',
  'pages/console',
  'operations/admin-authorization',
  'pages/launcher',
  'operations/parity',
  'pages/launcher-people',
  'pages/launcher-home',
  'operations/admin-parity',
  'auth/forged-tokens',
  'storage/sqlite-database',
  'sdk/typescript',
  'pages/launcher-conversations',
  'storage/threaded-database',
  'openapi/document',
  'pages/reference',
  'pages/docs',
  'pages/live-ops',
  'cli/serve',
  'pages/launcher-friends',
  'pages/launcher-history',
  'pages/leaderboards',
  'live/public-stream',
  'pages/demo-game',
  'live/friend-presence',
  'pages/administrators',
  'pages/rules-editor',
  'storage/postgres-database.long',
  'proxy/nginx.long',
  'pages/docs-accessibility.long',
  'sdk/gdscript.long',
  'runtime/compiled-program.long',
  'proxy/idle-connections.long',
  'pages/dialogs.long',
  'sdk/csharp.long',
  'sdk/chromium.long',
  'live/slow-reader.long',
  'storage/upgrades.long',
  'crash/power-loss.long',
  'docs/snippets.long',
  'live/presence.long',
  'binary/executable.long',
  'sdk/python.long',
  'package/package.long',
  'live/ledger.long',
  'pages/accessibility.long',
  'trust/key-rotation.long',
  'compat/typed-client.long',
  'upgrade/side-by-side.long',
  'docs/guides.long',
  'live/redis-outage.long',
  'pages/console-layout.long',
  'crash/damaged-files.long',
  'storage/migrations.long',
  'live/lossy-bus.long',
  'cli/processes.long',
  'live/shutdown.long',
  'pages/console-load.long',
  'live/friend-presence.long',
  'pages/keyboard.long',
  'trust/raw-websockets.long',
  'openapi/linters.long',
  'live/playing-ledger.long',
  'trust/fuzz.long',
  'trust/raw-sockets.long',
  'storage/rank-marks.property.long',
  'transports/slow-bodies.long',
  'live/costly-sockets.long',
  'live/redis-failover.long',
].map((path) => fileURLToPath(new URL(`${path}.test.ts`, import.meta.url)));
for (const path of longest) if (!existsSync(path)) throw new Error(`there is no file ${path}`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.indexOf(moduleId);
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
    // Tests start real servers, write to real files and wait for conditions. These limits, like those of `until` and of
    // pages, end what hangs. They say nothing about speed: on a busy machine, all takes five times as long.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
  },
});

export default mergeConfig(
  shared,
  defineConfig({ test: { include: ['test/**/*.test.ts'], exclude: [longTests, '**/node_modules/**'] } }),
);
