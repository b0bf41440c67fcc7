import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sdkModel } from '../../src/sdk/generators/model.ts';
import { builtFiles, declaredFiles } from '../../src/tools/build/generated-files.ts';
import { repository } from '../support/gantry-process.ts';

const onDisk = (path: string) => readFileSync(join(repository, path), 'utf8');
const stale = (files: Record<string, string>) =>
  Object.entries(files)
    .filter(([path, text]) => onDisk(path) !== text)
    .map(([path]) => `${path} is stale: npm run generate`);

test('the generated files match the declarations, as `npm run generate` writes them', async () => {
  expect(stale(await declaredFiles())).toEqual([]);
});

test('the browser client is built from the current sources', async () => {
  expect(stale(await builtFiles())).toEqual([]);
});

test('the generator adds a new field of an operation and of an event to every SDK and the documents', async () => {
  const before = await declaredFiles();
  const model = structuredClone(sdkModel());
  const field = {
    name: 'comboCount',
    type: { kind: 'integer' },
    isOptional: true,
    isNullable: false,
    description: 'How many in a row',
  } as const;
  const records = model.records.map((record) =>
    ['SetUserScoreInput', 'ScoreRecord'].includes(record.name)
      ? { ...record, fields: [...record.fields, field] }
      : record,
  );
  const after = await declaredFiles({ ...model, records });
  const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
  expect(changed).toEqual(
    expect.arrayContaining([
      'src/sdk/client/operation-types.ts',
      'public/sdk/csharp/Runtime/Generated/Records.cs',
      'public/sdk/gdscript/addons/gantry/gantry_client.gd',
      'public/sdk/gdscript/addons/gantry/records.gd',
      'public/sdk/python/gantry/operations.py',
      'public/sdk/python/gantry/types.py',
      'src/transports/socket/PROTOCOL.md',
    ]),
  );
  expect(after['src/sdk/client/operation-types.ts']).toContain('  comboCount?: number;');
  expect(after['public/sdk/csharp/Runtime/Generated/Records.cs']).toContain('public long? ComboCount');
  expect(after['public/sdk/gdscript/addons/gantry/gantry_client.gd']).toContain(
    '"combo_count": "comboCount"',
  );
  expect(after['public/sdk/python/gantry/operations.py']).toMatch(
    /def set_user_score\(.*combo_count: Optional\[int\] = None/,
  );
  expect(after['src/transports/socket/PROTOCOL.md']).toMatch(/`scores created` \|.*`comboCount` \|/);
});

test('the client with its socket takes at most 30 kB, compressed by gzip -9', () => {
  const bytes = gzipSync(onDisk('public/sdk/typescript/client.js'), { level: 9 }).length;
  expect(bytes).toBeGreaterThan(5_000); // otherwise the socket is missing
  expect(bytes).toBeLessThanOrEqual(30_000);
});

test('the client consists of its own files and socket.io-client, and nothing of the server', () => {
  const files = readdirSync(join(repository, 'src/sdk/client')).map((name) => name.replace(/\.ts$/, ''));
  expect(files).toContain('client');
  const imported = files.flatMap((name) =>
    [...onDisk(`src/sdk/client/${name}.ts`).matchAll(/ from '([^']+)'/g)].map(([, from]) => from),
  );
  const own = files.map((name) => `./${name}.ts`);
  expect(imported.filter((from) => from === undefined || !own.includes(from))).toEqual(['socket.io-client']);
});
