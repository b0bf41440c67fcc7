import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { reasons } from '../../src/core/errors.ts';
import { operations } from '../../src/server/catalogue/operations.ts';

const root = fileURLToPath(new URL('../../src/', import.meta.url));
const testRoot = fileURLToPath(new URL('../', import.meta.url));

interface SourceFile {
  /** Relative to src/, as `features/scores/commands.ts`. */
  path: string;
  code: string;
  /** What it imports, types included: files relative to src/, packages by name. */
  imports: readonly string[];
}

/** One folder per feature: its records and rules, its `events.ts`, its workers, and its operations below. */
const features = [
  'activities',
  'administration',
  'administrators',
  'batches',
  'blocks',
  'chains',
  'games',
  'guest-writes',
  'guests',
  'idempotency',
  'messages',
  'moderation',
  'mutes',
  'notifications',
  'play-sessions',
  'players',
  'prizes',
  'queue',
  'reports',
  'rules',
  'scores',
  'sessions',
  'states',
  'storage-quota',
  'webhooks',
];

/** The layers of src/, from the bottom up: a file imports files of its own layer and of those below it. */
const layers: readonly { name: string; files: readonly string[] }[] = [
  // Independent of games: schemas of ids, texts and pages, event streams, threads, embedded files.
  { name: 'foundations', files: ['core/', 'runtime/', 'errors.ts'] },
  // Gantry's features, and how they are stored. `server/catalogue/events.ts` is the list of the features' events.
  {
    name: 'features',
    files: [
      ...features.map((feature) => `${feature}/`),
      'server/catalogue/events.ts',
      'config.ts',
      'public-urls.ts',
    ],
  },
  // Concerns around a call or an event: authentication, rate limits, presence, metrics, delivery.
  {
    name: 'services',
    files: ['auth/', 'limits/', 'live/', 'pages/', 'presence/', 'redis/', 'telemetry/', 'retention.ts'],
  },
  // What an operation is, and the single path that every call takes.
  { name: 'the path of a call', files: ['operations/'] },
  // What callers can call, each in the folder of its feature.
  { name: 'operations', files: [...features, 'live'].map((feature) => `${feature}/operations/`) },
  // The lists of operations, commands and tables.
  { name: 'catalogue', files: ['catalogue/'] },
  // Executes commands and queries; receives tables and commands as parameters, and knows none.
  { name: 'engines', files: ['engines/'] },
  // How calls arrive and how they are described to callers.
  { name: 'borders', files: ['client/', 'openapi/', 'sdk/', 'transports/'] },
  // Composes the parts: a server, the commands, the builds.
  {
    name: 'programs',
    files: [
      'backup/',
      'build/',
      'cli/',
      'demo/',
      'doctor/',
      'backup-thread.ts',
      'build-services.ts',
      'build-transports.ts',
      'data-directory.ts',
      'gantry.js',
      'main.ts',
      'open-services.ts',
      'postgres-writer-thread.ts',
      'server-address.ts',
      'server.ts',
      'writer-thread.ts',
    ],
  },
];

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

test('the imports of every source file are read, and each refers to an existing file', () => {
  expect(files.length).toBeGreaterThan(90);
  expect(byPath.get('server.ts')?.imports).toEqual(
    expect.arrayContaining(['pino', 'config.ts', 'open-services.ts', 'build-transports.ts']),
  );
  const written = files.flatMap(
    ({ code }) => code.match(/ from '[^']+'(?: with \{ type: 'json' \})?;$|^import '|\bimport\('/gm) ?? [],
  );
  expect(files.flatMap(({ imports }) => imports)).toHaveLength(written.length);
  expect(
    edges(
      () => true,
      (imported) => /\.[jt]s$/.test(imported) && imported !== 'ipaddr.js' && !byPath.has(imported),
    ),
  ).toEqual([]);
});

describe('domain code does not know how it is called', () => {
  const inner = ['core', ...features, 'auth', 'limits', 'presence', 'operations', 'catalogue'];
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
    ).toBeGreaterThan(100);
  });
});

describe('transports handle all operations alike', () => {
  const transports = files.filter(({ path }) => isIn('transports')(path));

  test('they import the operation abstraction, and no operation', () => {
    const isOperation = (imported: string) => imported.split('/').slice(0, 2).includes('operations');
    const theirs = edges(isIn('transports'), isOperation).map((edge) => edge.split(' → ')[1]);
    const shared = ['define.ts', 'execute.ts', 'registry.ts'].map((name) => `operations/${name}`);
    expect(new Set(theirs)).toEqual(new Set(shared));
  });

  test('they name no operation', () => {
    const names = operations.flatMap((one) => [one.name, ...('aliases' in one ? one.aliases : [])]);
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
        !(
          path === 'gantry.js' &&
          code.split('process.env').length === 3 &&
          code.includes('.NODE_COMPILE_CACHE ??=') &&
          code.includes('.DATABASE_URL ? ')
        ) && /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\[|\benv\b[^;]*from 'node:process'/.test(code),
    );
    expect(readers.map(({ path }) => path)).toEqual(['config.ts']);
  });

  test('only the programs choose engines and adapters', () => {
    const isAdapter = (path: string) => isIn('engines')(path) || /^presence\/.+-presence\.ts$/.test(path);
    const isProgram = (path: string) =>
      [
        'open-services.ts',
        'build-services.ts',
        'data-directory.ts',
        'writer-thread.ts',
        'postgres-writer-thread.ts',
        'backup-thread.ts',
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
    expect(edges(isIn('engines'), (imported) => isIn(...features, 'catalogue')(imported))).toEqual([]);
    expect(edges(isIn(...features), isIn('engines'))).toEqual([]);
  });
});

describe('imports point in one direction', () => {
  test('every file belongs to a layer', () => {
    expect(files.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([]);
  });

  test.each(layers)('$name imports nothing from a layer above it', ({ name }) => {
    const own = layers.findIndex((layer) => layer.name === name);
    expect(
      edges(
        (path) => layerOf(path) === own,
        (imported) => byPath.has(imported) && layerOf(imported) > own,
      ),
    ).toEqual([]);
  });

  test('no two folders import each other', () => {
    const between = new Map<string, string[]>();
    for (const edge of edges(
      () => true,
      (imported) => byPath.has(imported),
    )) {
      const [from, to] = edge.split(' → ').map(folderOf);
      if (!from || !to || from === to) continue;
      const key = `${from} → ${to}`;
      between.set(key, [...(between.get(key) ?? []), edge]);
    }
    const pairs = [...between].flatMap(([key, ways]) => {
      const [from = '', to = ''] = key.split(' → ');
      const back = between.get(`${to} → ${from}`);
      return back && from < to ? [{ pair: `${from} ↔ ${to}`, ways, back }] : [];
    });
    expect(pairs).toEqual([]);
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

/** The index of a file's layer in `layers`, by the longest matching entry; -1 when no layer contains it. */
function layerOf(path: string): number {
  const lengths = layers.map((layer) =>
    Math.max(-1, ...layer.files.map((entry) => (path.startsWith(entry) ? entry.length : -1))),
  );
  const longest = Math.max(...lengths);
  return longest === -1 ? -1 : lengths.indexOf(longest);
}

/** The top-level folder of src/ that a file is in; undefined for a file in src/ itself. */
function folderOf(path: string): string | undefined {
  return path.includes('/') ? path.split('/')[0] : undefined;
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
