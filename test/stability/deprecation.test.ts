import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { kebabCase } from '../../src/features/operation.ts';
import { operations } from '../../src/server/declarations/operations.ts';
import { startServer } from '../../src/server/server.ts';
import { apiOf } from '../support/api.ts';
import { databaseOf } from '../support/engine.ts';
import { until } from '../support/until.ts';

const adminToken = 'the-admin-token-of-the-tests';
const deprecated = 'a call uses a deprecated name of its operation';

test('a call by a deprecated name works, says so in its headers, and is logged once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-deprecation-'));
  const lines: { msg: string; operation?: string }[] = [];
  const config = readConfig({
    PORT: '0',
    DATA_DIR: directory,
    GANTRY_DEMO: 'off',
    ADMIN_TOKEN: adminToken,
    ...(await databaseOf(directory)),
  });
  const server = await startServer(config, pino({}, { write: (line) => lines.push(JSON.parse(line)) }));
  try {
    const call = async (path: string) => {
      const answer = await apiOf(server).post(path, {}, { Authorization: `Bearer ${adminToken}` });
      expect(answer.status).toBe(200);
      return [answer.headers.get('deprecation'), answer.headers.get('link')];
    };
    expect(await call('/admin/get-server-stats')).toEqual([null, null]);
    const said = [
      `@${Date.parse('2026-11-20') / 1000}`,
      '</docs/stability#deprecation>; rel="deprecation"; type="text/html"',
    ];
    expect(await call('/admin/server-figures')).toEqual(said);
    expect(await call('/Admin/Server-Figures/')).toEqual(said);
    await until('the log', () => lines.some(({ msg }) => msg === deprecated));
    expect(lines.filter(({ msg }) => msg === deprecated)).toEqual([
      expect.objectContaining({ path: '/admin/server-figures', operation: 'getServerStats' }),
    ]);
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test('stability.md lists every deprecated name, and no other', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, table = ''] =
    /\n\| Name \| Where .*\n.*\n((?:\|.*\n)+)/.exec(read('public/docs/stability.md')) ?? [];
  const listed = table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(.+?)(?:\(\))?`/g)])
    .map(([, name = '']) => name);
  const ofOperations = operations
    .flatMap(({ deprecatedNames = {} }) => Object.keys(deprecatedNames))
    .flatMap((name) => [`POST /admin/${kebabCase(name)}`, `gantry admin ${kebabCase(name)}`]);
  const fields = operations.flatMap(({ output }) => [
    ...JSON.stringify(z.toJSONSchema(output, { io: 'input', unrepresentable: 'any' })).matchAll(
      /"(\w+)":\{[^{}]*"deprecated":true/g,
    ),
  ]);
  const types = read('src/sdk/client/operation-types.ts').matchAll(/@deprecated.*\n *export type (\w+)/g);
  const script = read('public/sdk/gdscript/addons/gantry/gantry_core.gd');
  const members = script.matchAll(/^# Deprecated: .*\n(?:signal|func) (\w+)/gm);
  const declared = [...ofOperations, ...[...fields, ...types, ...members].map(([, name = '']) => name)];
  expect(new Set(listed)).toEqual(new Set(declared));
  expect(declared.length).toBeGreaterThan(5);
});
