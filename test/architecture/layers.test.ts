import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/operations/operations.ts';

const root = fileURLToPath(new URL('../../src/', import.meta.url));

interface SourceFile {
  /** Relative to src/, as `store/store.ts`. */
  path: string;
  code: string;
  /** What it imports, types included: files relative to src/, packages by name. */
  imports: readonly string[];
}

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

/** Every file and package a file reaches by its imports, itself included. */
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

test('the imports of every source file are read, and each names a file there is', () => {
  expect(files.length).toBeGreaterThan(90);
  expect(byPath.get('server.ts')?.imports).toEqual(
    expect.arrayContaining(['node:http', 'pino', 'config.ts', 'workspace.ts', 'transports/http/app.ts']),
  );
  const written = files.flatMap(({ code }) => code.match(/ from '[^']+';$|^import '|\bimport\('/gm) ?? []);
  expect(files.flatMap(({ imports }) => imports)).toHaveLength(written.length);
  expect(
    edges(
      () => true,
      (imported) => /\.[jt]s$/.test(imported) && imported !== 'ipaddr.js' && !byPath.has(imported),
    ),
  ).toEqual([]);
});

describe('what Gantry does knows nothing of how it is called', () => {
  const inner = ['operations', 'store', 'events', 'rules', 'domain', 'presence', 'auth'];
  const isTransport = (imported: string) =>
    ['express', 'socket.io', 'engine.io', 'ws'].includes(imported) ||
    imported === 'node:http' ||
    imported.startsWith('transports/');

  test.each(inner)(
    '%s/ reaches neither Express nor Socket.IO nor transports/, however far one follows',
    (folder) => {
      const inFolder = files.filter(({ path }) => isIn(folder)(path));
      expect(inFolder).not.toEqual([]);
      const reached = inFolder.flatMap(({ path }) =>
        [...reachableFrom(path)].filter(isTransport).map((found) => `${path} ⇢ ${found}`),
      );
      expect(reached).toEqual([]);
    },
  );
});

describe('transports take operations as they come', () => {
  const transports = files.filter(({ path }) => isIn('transports')(path));

  test('they import what operations are, and none of them', () => {
    const theirs = edges(isIn('transports'), isIn('operations')).map((edge) => edge.split(' → ')[1]);
    const shared = ['connection.ts', 'define.ts', 'execute.ts', 'registry.ts'].map(
      (name) => `operations/${name}`,
    );
    expect(new Set(theirs)).toEqual(new Set(shared));
  });

  test('they name none', () => {
    const names = operations.flatMap((one) => [one.name, ...('aliases' in one ? one.aliases : [])]);
    const named = transports.flatMap(({ path, code }) =>
      names.filter((name) => new RegExp(`\\b${name}\\b`).test(code)).map((name) => `${path} names ${name}`),
    );
    expect(named).toEqual([]);
  });
});

describe('each choice is made in one place', () => {
  test('only config.ts reads the environment', () => {
    const readers = files.filter(({ code }) =>
      /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\[|\benv\b[^;]*from 'node:process'/.test(code),
    );
    expect(readers.map(({ path }) => path)).toEqual(['config.ts']);
  });

  test('only server.ts and workspace.ts choose adapters', () => {
    const isAdapter = (path: string) =>
      isIn('store/sqlite', 'store/postgres')(path) || /^presence\/.+-presence\.ts$/.test(path);
    const choosers = edges(
      (path) => !isAdapter(path) && !['server.ts', 'workspace.ts'].includes(path),
      isAdapter,
    );
    expect(choosers).toEqual([]);
    expect(
      edges((path) => path === 'server.ts' || path === 'workspace.ts', isAdapter).length,
    ).toBeGreaterThan(1);
  });

  test('only an adapter knows the library it adapts', () => {
    expect(
      edges(
        (path) => !isIn('store/sqlite')(path),
        (imported) => imported === 'better-sqlite3',
      ),
    ).toEqual([]);
  });
});

test('the domain imports nothing of Gantry but itself and the errors it is refused with', () => {
  const outward = (imported: string) =>
    byPath.has(imported) && !isIn('domain')(imported) && imported !== 'errors.ts';
  expect(edges(isIn('domain'), outward)).toEqual([]);
});

test('no file imports itself, however long the way round, types included', () => {
  const cycles = files
    .filter(({ path, imports }) => imports.some((imported) => reachableFrom(imported).has(path)))
    .map(({ path }) => wayRound(path).join(' → '));
  expect(cycles).toEqual([]);
});

/** The shortest way from a file back to itself. */
function wayRound(path: string): string[] {
  const ways: string[][] = [[path]];
  for (const way of ways) {
    for (const imported of byPath.get(way.at(-1) ?? '')?.imports ?? []) {
      if (imported === path) return [...way, path];
      if (!ways.some((other) => other.includes(imported))) ways.push([...way, imported]);
    }
  }
  return [path];
}
