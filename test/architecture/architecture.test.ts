import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { reasons } from '../../src/core/errors.ts';
import { namesOf } from '../../src/features/operation.ts';
import { operations } from '../../src/server/declarations/operations.ts';

const root = fileURLToPath(new URL('../../src/', import.meta.url));
const testRoot = fileURLToPath(new URL('../', import.meta.url));

interface SourceFile {
  /** Relative to src/, as `features/scores/commands.ts`. */
  path: string;
  code: string;
  /** What it imports, types included: files relative to src/, packages by name. */
  imports: readonly string[];
}

/** The rooms of src/, from the bottom up: a file imports files of its own room and of those on floors below. */
const floors: readonly (readonly string[])[] = [
  // Independent of games: schemas of ids, texts and pages, event streams, storage; threads, files, embedded assets.
  ['core', 'runtime'],
  // Engines receive tables and commands as parameters, and know none. What is counted; other nodes; what is served.
  ['engines', 'telemetry', 'cluster', 'pages'],
  // What a game's players, servers and administrators can do, one folder per feature.
  ['features'],
  // The single path that every call takes; the settings.
  ['calls', 'config.ts'],
  // How calls arrive, how events leave, and how both are described.
  ['transports'],
  // Composes all of that: the services, the transports, the threads, and the lists of operations, events and tables.
  ['server'],
  // Written from those lists.
  ['sdk'],
  ['tools'],
  ['cli'],
  ['main.ts'],
  ['gantry.js'],
];

const features = readdirSync(join(root, 'features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const files: readonly SourceFile[] = globSync('**/*.{ts,js}', { cwd: root })
  .toSorted()
  .map((path) => {
    const code = readFileSync(join(root, path), 'utf8');
    return { path, code, imports: importsOf(path, code) };
  });
const byPath = new Map(files.map((file) => [file.path, file]));

function importsOf(path: string, code: string): string[] {
  const statements = code.matchAll(
    /^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm,
  );
  return [...statements].map(([, declared, loaded]) => {
    const specifier = declared ?? loaded ?? '';
    return specifier.startsWith('.') ? join(dirname(path), specifier) : packageOf(specifier);
  });
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function wordsOf(code: string): ReadonlySet<string> {
  return new Set(code.match(/\w+/g));
}

/** Every file and package that a file reaches through its imports, itself included. */
function reachableFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const imported of byPath.get(path)?.imports ?? []) reachableFrom(imported, seen);
  return seen;
}

/** `importer → imported` for every direct import that matches both. */
function edges(from: (path: string) => boolean, to: (imported: string) => boolean): string[] {
  return files
    .filter(({ path }) => from(path))
    .flatMap(({ path, imports }) => imports.filter(to).map((imported) => `${path} → ${imported}`));
}

function isIn(...folders: string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path.startsWith(`${folder}/`));
}

/** Packages whose names look like files. */
const packages = new Set(['ipaddr.js', 'highlight.js']);

test('the imports of every source file are read, and each refers to an existing file', () => {
  expect(files.length).toBeGreaterThan(90);
  expect(byPath.get('server/server.ts')?.imports).toEqual(
    expect.arrayContaining(['pino', 'config.ts', 'server/open-services.ts', 'server/build-transports.ts']),
  );
  const written = files.flatMap(
    ({ code }) => code.match(/ from '[^']+'(?: with \{ type: 'json' \})?;$|^import '|\bimport\('/gm) ?? [],
  );
  expect(files.flatMap(({ imports }) => imports)).toHaveLength(written.length);
  expect(
    edges(
      () => true,
      (imported) => /\.[jt]s$/.test(imported) && !packages.has(imported) && !byPath.has(imported),
    ),
  ).toEqual([]);
});

describe('domain code does not know how it is called', () => {
  const inner = ['core', 'cluster', 'features', 'calls', 'server/declarations'];
  /** Uses `node:http` as a client; its interface, `webhook-sender.ts`, does not know it. */
  const outgoing = 'features/webhooks/http-webhook-sender.ts';
  const isTransport = (imported: string) =>
    ['express', 'socket.io', 'engine.io', 'ws'].includes(imported) ||
    imported === 'node:http' ||
    imported.startsWith('transports/');

  test.each(inner)(
    '%s/ reaches neither Express nor Socket.IO nor transports/, even transitively',
    (folder) => {
      const inFolder = files.filter(({ path }) => isIn(folder)(path) && path !== outgoing);
      expect(inFolder).not.toEqual([]);
      const reached = inFolder.flatMap(({ path }) =>
        [...reachableFrom(path)].filter(isTransport).map((found) => `${path} ⇢ ${found}`),
      );
      expect(reached).toEqual([]);
    },
  );

  test('it sees a Store, which the steps of a call may wrap, and not the whole Database', () => {
    const outside = inner.filter((folder) => folder !== 'core');
    expect(edges(isIn(...outside), (imported) => imported === 'core/storage/database.ts')).toEqual([]);
    expect(
      edges(isIn(...outside), (imported) => imported === 'core/storage/store.ts').length,
    ).toBeGreaterThan(50);
  });
});

describe('transports handle all operations alike', () => {
  const transports = files.filter(({ path }) =>
    isIn('transports/http', 'transports/socket', 'transports/openapi')(path),
  );

  test('they import the operation abstraction, and no operation', () => {
    expect(edges(isIn('transports'), isOperation)).toEqual([]);
    const shared = edges(
      isIn('transports'),
      (imported) => byPath.has(imported) && /^(calls|features)\/[\w-]+\.ts$/.test(imported),
    );
    expect(new Set(shared.map((edge) => edge.split(' → ')[1]))).toEqual(
      new Set(['calls/execute.ts', 'features/operation.ts']),
    );
  });

  test('they name no operation', () => {
    const names = operations.flatMap(namesOf);
    const named = transports.flatMap(({ path, code }) =>
      names.filter((name) => new RegExp(`\\b${name}\\b`).test(code)).map((name) => `${path} names ${name}`),
    );
    expect(named).toEqual([]);
  });
});

describe('each choice is made in one place', () => {
  test('only config.ts reads the environment', () => {
    const readers = files.filter(
      ({ path, code }) =>
        // NODE_COMPILE_CACHE is for Node itself; DATABASE_URL is read before config.ts is loaded, to choose the thread
        // to prepare.
        // The client runs in a game, whose launcher passes the token in the environment.
        !path.startsWith('sdk/client/') &&
        !(
          path === 'gantry.js' &&
          code.split('process.env').length === 2 &&
          code.includes('.NODE_COMPILE_CACHE ??=')
        ) &&
        !(
          path === 'main.ts' &&
          code.split('process.env').length === 2 &&
          code.includes('const { DATABASE_URL, DATABASE_URL_FILE } = process.env')
        ) &&
        /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\[|\benv\b[^;]*from 'node:process'/.test(code),
    );
    expect(readers.map(({ path }) => path)).toEqual(['config.ts']);
  });

  test('only the programs choose engines and adapters', () => {
    const isAdapter = (path: string) =>
      isIn('engines')(path) || /^cluster\/presence\/.+-presence\.ts$/.test(path);
    const isProgram = (path: string) =>
      [
        'server/build-services.ts',
        'server/open-services.ts',
        'server/open-store.ts',
        'server/threads/writer-thread.ts',
        'server/threads/postgres-writer-thread.ts',
        'server/threads/backup-thread.ts',
      ].includes(path);
    expect(edges((path) => !isAdapter(path) && !isProgram(path), isAdapter)).toEqual([]);
    expect(edges(isProgram, isAdapter).length).toBeGreaterThan(1);
  });

  test('only an engine imports its database library', () => {
    expect(
      edges(
        (path) => !isIn('engines')(path),
        (imported) => imported === 'better-sqlite3' || imported === 'pg',
      ),
    ).toEqual([]);
  });
});

describe('engines contain no domain rules', () => {
  const engines = files.filter(({ path }) => isIn('engines')(path));

  test('they refuse nothing, except when the database accepts no writes', () => {
    const reasons = engines.flatMap(({ path, code }) =>
      [...code.matchAll(/new GantryError\(\s*'([^']+)'/g)].map(([, reason]) => `${path}: ${reason}`),
    );
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.filter((one) => !one.endsWith(': store_unavailable'))).toEqual([]);
    const thrown = engines.flatMap(({ path, code }) =>
      [...code.matchAll(/new GantryError\(/g)].map(() => path),
    );
    expect(thrown).toHaveLength(reasons.length);
  });

  test('they import no feature, and no feature imports them', () => {
    expect(edges(isIn('engines'), (imported) => isIn('features', 'server')(imported))).toEqual([]);
    expect(edges(isIn('features'), isIn('engines'))).toEqual([]);
  });
});

describe('imports point in one direction', () => {
  test('files are named outside of imports only where threads are entered', () => {
    // A thread's entry file belongs to a room above those that start threads: strings, which the tests below do not see.
    const entries = [
      'server/threads/writer-thread.ts',
      'server/threads/postgres-writer-thread.ts',
      'server/threads/backup-thread.ts',
      'server/threads/export-thread.ts',
      'engines/sqlite/copier-thread.ts',
      'features/states/state-thread.ts',
    ];
    const named = files.flatMap(({ path, code }) =>
      [...code.matchAll(/(?<!\bfrom |\bimport |\bimport\()'(\.{1,2}\/[^']+\.ts)'/g)].map(([, file = '']) => ({
        by: path,
        file: join(dirname(path), file),
      })),
    );
    expect(named.filter(({ by }) => by === 'runtime/start-thread.ts').map(({ file }) => file)).toEqual([
      ...entries,
      'runtime/source-thread.ts', // loads an entry file when running from source
    ]);
    expect(named.filter(({ by }) => roomOf(by) !== 'runtime' && roomOf(by) !== 'tools')).toEqual([]);
  });

  test('every entry of src/ is on a floor, and every entry of a floor is in src/', () => {
    expect(new Set(files.map(({ path }) => roomOf(path)))).toEqual(new Set(floors.flat()));
  });

  test.each(floors.map((floor, height) => ({ rooms: floor.join(', '), height })))(
    '$rooms: imports only from floors below',
    ({ height }) => {
      const isHere = (path: string) => floorOf(path) === height;
      const upwards = edges(isHere, (imported) => byPath.has(imported) && floorOf(imported) >= height);
      expect(upwards.filter((edge) => new Set(edge.split(' → ').map(roomOf)).size > 1)).toEqual([]);
    },
  );

  /** A feature's records, rules and workers; what operations are declared with; a feature's operations. */
  const storeyOf = (path: string) => {
    const [, feature = ''] = path.split('/');
    if (!features.includes(feature)) return 'declarations';
    return isOperation(path) ? `${feature}/operations` : feature;
  };

  test('no feature depends on itself through others, apart from their operations', () => {
    expect(circles(isIn('features'), storeyOf)).toEqual([]);
  });

  test('no two folders of a room depend on each other, even through others', () => {
    // A command emits events, and events are stored by commands.
    const folder = (path: string) =>
      dirname(path).replace(/^core\/(events|storage)$/, 'core/events and storage');
    expect(circles((path) => path.includes('/'), folder)).toEqual([]);
  });
});

test('no file imports itself, even transitively, types included', () => {
  const cycles = files
    .filter(({ path, imports }) => imports.some((imported) => reachableFrom(imported).has(path)))
    .map(({ path }) => importCycle(path).join(' → '));
  expect(cycles).toEqual([]);
});

/** Replaces a module of better-sqlite3, and has its export. */
const standIn = 'engines/sqlite/native-addon.ts';

test('every export is imported somewhere', () => {
  const tests = globSync('**/*.ts', { cwd: testRoot }).map((path) => ({
    path: `test/${path}`,
    words: wordsOf(readFileSync(join(testRoot, path), 'utf8')),
  }));
  const users = [...files.map(({ path, code }) => ({ path, words: wordsOf(code) })), ...tests];
  const exported = files.flatMap(({ path, code }) =>
    [...code.matchAll(/^export (?:abstract )?(?:async )?(?:const|function\*?|class) (\w+)/gm)].map(
      ([, name = '']) => ({ path, name }),
    ),
  );
  expect(exported.length).toBeGreaterThan(1_000);
  const unused = exported.filter(
    ({ path, name }) => path !== standIn && !users.some((user) => user.path !== path && user.words.has(name)),
  );
  expect(unused).toEqual([]);
});

test('every refusal for exceeding a limit says what to do instead', () => {
  const tooMuch = Object.entries(reasons).flatMap(([reason, status]) =>
    status === 413 || status === 429 || reason === 'server_busy' ? [reason] : [],
  );
  const refusal = new RegExp(`new GantryError\\(\\s*'(${tooMuch.join('|')})',(.*?);\\n`, 'gs');
  const refusals = files.flatMap(({ path, code }) =>
    [...code.matchAll(refusal)].map(([, reason, message = '']) => ({ path, reason, message })),
  );
  expect(new Set(refusals.map(({ reason }) => reason))).toEqual(new Set(tooMuch));
  const advice = /try again in|send less|send it less|save smaller/;
  expect(refusals.filter(({ message }) => !advice.test(message))).toEqual([]);
});

function isOperation(path: string): boolean {
  return path.startsWith('features/') && dirname(path).endsWith('/operations');
}

/** The entry of src/ that a file is in. */
function roomOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function floorOf(path: string): number {
  return floors.findIndex((floor) => floor.includes(roomOf(path)));
}

/** Groups of files that import one another in a circle: the members of each circle, sorted. */
function circles(among: (path: string) => boolean, groupOf: (path: string) => string): string[][] {
  const outgoing = new Map<string, Set<string>>();
  for (const edge of edges(among, (imported) => byPath.has(imported) && among(imported))) {
    const [from = '', to = ''] = edge.split(' → ').map(groupOf);
    if (from !== to) outgoing.set(from, (outgoing.get(from) ?? new Set()).add(to));
  }
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const next of outgoing.get(from) ?? []) if (!seen.has(next)) reached(next, seen.add(next));
    return seen;
  };
  const inCircles = [...outgoing.keys()].filter((group) => reached(group).has(group));
  return [
    ...new Set(
      inCircles.map((group) =>
        [...reached(group)]
          .filter((one) => reached(one).has(group))
          .toSorted()
          .join(),
      ),
    ),
  ].map((circle) => circle.split(','));
}

/** The shortest import cycle through a file. */
function importCycle(path: string): string[] {
  const ways: string[][] = [[path]];
  for (const way of ways) {
    for (const imported of byPath.get(way.at(-1) ?? '')?.imports ?? []) {
      if (imported === path) return [...way, path];
      if (!ways.some((other) => other.includes(imported))) ways.push([...way, imported]);
    }
  }
  return [path];
}
