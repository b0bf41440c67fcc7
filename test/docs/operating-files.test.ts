import { execFile } from 'node:child_process';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { environment, readConfig } from '../../src/config.ts';
import { gantry, gantryJson, gantryProgram, repository } from '../support/gantry-process.ts';
import { get } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const folder = join(repository, 'public/docs/files');
const run = promisify(execFile);

test('the Grafana dashboard shows every metric of ours, and queries only existing ones', async () => {
  await using server = await startTestServer();
  const { body } = await get(`${server.url}/metrics`, { Authorization: `Bearer ${server.adminToken}` });
  const types = [...String(body).matchAll(/^# TYPE (\w+) (\w+)/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
  const series = types.flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const dashboard = z
    .object({
      panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
    })
    .parse(JSON.parse(await readFile(join(folder, 'grafana-dashboard.json'), 'utf8')));
  const requested = dashboard.panels
    .flatMap(({ targets }) => targets)
    .flatMap(({ expr }) => expr.match(/\b(gantry|process|nodejs)_\w+/g) ?? []);
  // Only present with a Redis; `test/telemetry/` covers it.
  expect(requested.filter((name) => !series.includes(name) && name !== 'gantry_redis_up')).toEqual([]);
  const ours = types.map(({ name }) => name).filter((name) => name.startsWith('gantry_'));
  expect(ours.length).toBeGreaterThan(10);
  expect(ours.filter((name) => !requested.some((one) => one.startsWith(name)))).toEqual([]);
});

test('the units and the container set no variable that Gantry does not read', async () => {
  const known = [...Object.keys(environment.shape), 'TMPDIR', 'BACKUP_DIR', 'KEEP_DAYS'];
  const set: string[] = [];
  for (const name of ['gantry.service', 'gantry-backup.service']) {
    const unit = await readFile(join(folder, name), 'utf8');
    for (const [, line = ''] of unit.matchAll(/^Environment=(.+)$/gm)) set.push(...namesIn(line));
  }
  const container = await readFile(join(repository, 'Dockerfile'), 'utf8');
  for (const [, line = ''] of container.matchAll(/^ENV (.+)$/gm)) set.push(...namesIn(line));
  expect(set).toEqual(expect.arrayContaining(['DATA_DIR', 'TMPDIR', 'PORT']));
  expect(set.filter((name) => !known.includes(name))).toEqual([]);
});

test('the user of the service can read a certificate where the manual puts it, beside the settings', async () => {
  const install = await readFile(join(repository, 'public/docs/install.md'), 'utf8');
  const [, mode = '', directory = ''] = /install -d -m (\d+) (\/etc\/gantry)$/m.exec(install) ?? [];
  const scalingOut = await readFile(join(repository, 'public/docs/scaling-out.md'), 'utf8');
  expect(scalingOut).toContain(`sslrootcert=${directory}/`);
  expect(Number.parseInt(mode, 8) & 0o005).toBe(0o005);
});

test.each([
  ['compose.yaml', { redisUrl: 'redis://redis:6379', databaseUrl: undefined }],
  ['public/docs/files/compose.postgres.yaml', { databaseUrl: 'postgres://gantry:abc123@postgres/gantry' }],
])(
  'the nodes of %s have settings that Gantry accepts, and more time than a shutdown takes',
  async (file, config) => {
    const given: Record<string, string> = {
      PUBLIC_URL: 'https://play.example',
      ADMIN_TOKEN: 'a-secret-of-my-own',
      POSTGRES_PASSWORD: 'abc123',
      GANTRY_SECRET_KEY: 'ab'.repeat(32),
    };
    const text = (await readFile(join(repository, file), 'utf8')).replaceAll(
      /\$\{(\w+)[^}]*\}/g,
      (_, name: string) => given[name] ?? '',
    );
    const { services } = composeFile.parse(parse(text, { merge: true }));
    const nodes = Object.values(services).filter(({ image }) => image === 'gantry');
    expect(nodes).toHaveLength(2);
    for (const { environment: variables, stop_grace_period: period } of nodes) {
      expectKnown(Object.keys(variables));
      expect(readConfig(variables)).toMatchObject({ publicUrl: 'https://play.example', ...config });
      expect(Number.parseInt(period, 10)).toBeGreaterThan(9);
    }
  },
);

test('the files for hosting platforms have settings that Gantry accepts, and use its port, volume and health check', async () => {
  const fly = await readFile(join(folder, 'fly.toml'), 'utf8');
  const [, section = ''] = /^\[env\]\n((?:.+\n)+)/m.exec(fly) ?? [];
  const variables = Object.fromEntries(
    [...section.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expectKnown(Object.keys(variables));
  expect(readConfig(variables).trustedProxies).toEqual(['uniquelocal']);
  expect(fly).toContain('internal_port = 3000\n');
  expect(fly).toContain('destination = "/data"\n');
  expect(fly).toContain('path = "/readyz"\n');
  const { services } = blueprint.parse(parse(await readFile(join(folder, 'render.yaml'), 'utf8')));
  for (const { envVars, disk, healthCheckPath } of services) {
    expectKnown(envVars.map(({ key }) => key));
    expect(disk.mountPath).toBe('/data');
    expect(healthCheckPath).toBe('/readyz');
  }
});

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      environment: z.record(z.string(), z.string()).default({}),
      stop_grace_period: z.string().default(''),
    }),
  ),
});

const blueprint = z.object({
  services: z
    .array(
      z.object({
        envVars: z.array(z.object({ key: z.string() })),
        disk: z.object({ mountPath: z.string() }),
        healthCheckPath: z.string(),
      }),
    )
    .min(1),
});

function expectKnown(names: readonly string[]): void {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !(name in environment.shape))).toEqual([]);
}

test('the backup script creates a restorable backup, and deletes only old ones', async () => {
  await using data = await temporaryDirectory();
  await using backups = await temporaryDirectory();
  await using programs = await temporaryDirectory();
  await using restored = await temporaryDirectory();
  await gantryJson(['game', 'create', '--name', 'Space Race'], data.path);
  const program = join(programs.path, 'gantry');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${gantryProgram}' "$@"\n`, {
    mode: 0o755,
  });
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  for (const [name, days] of [
    ['gantry-old.gantry', 20],
    ['gantry-recent.gantry', 3],
    ['gantry-killed.gantry.0198.partial', 20],
    ['another.file', 20],
  ] as const) {
    await writeFile(join(backups.path, name), '');
    await utimes(join(backups.path, name), daysAgo(days), daysAgo(days));
  }
  await run(join(folder, 'gantry-backup.sh'), {
    env: { PATH: `${programs.path}:/usr/bin:/bin`, DATA_DIR: data.path, BACKUP_DIR: backups.path },
  });
  const left = (await readdir(backups.path)).toSorted();
  expect(left).toEqual([
    'another.file',
    expect.stringMatching(/^gantry-\d{4}-\d\d-\d\dT\d{6}Z\.gantry$/),
    'gantry-recent.gantry',
  ]);
  const env = { DATA_DIR: restored.path };
  expect(await gantry(['restore', join(backups.path, left[1] ?? '')], { env })).toMatchObject({ code: 0 });
  expect(await gantryJson(['game', 'list'], restored.path)).toMatchObject([{ name: 'Space Race' }]);
});

function namesIn(assignments: string): string[] {
  return [...assignments.matchAll(/(?:^| )([A-Z_]+)=/g)].map(([, name = '']) => name);
}
