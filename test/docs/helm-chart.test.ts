import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readConfig, settingsInFiles } from '../../src/config.ts';
import { repository } from '../support/gantry-process.ts';
import { get } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const chart = join(repository, 'public/docs/files/helm');
const helm = process.env.HELM ?? '';
const run = promisify(execFile);

const noHelm = helm === '' ? 'HELM names no program: test/docs/install-helm.sh' : null;
if (noHelm !== null) process.stderr.write(`The Helm chart is not rendered: ${noHelm}\n`);

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) });
const manifest = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.literal('gantry') }),
  stringData: z.record(z.string(), z.string()).default({}),
  spec: z.record(z.string(), z.unknown()).default({}),
});
const workload = z.object({
  replicas: z.number(),
  template: z.object({
    spec: z.object({
      terminationGracePeriodSeconds: z.number(),
      volumes: z.array(z.unknown()).default([]),
      containers: z.tuple([
        z.object({
          image: z.string(),
          env: z.array(z.object({ name: z.string(), value: z.string() })),
          envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })).default([]),
          startupProbe: probe,
          livenessProbe: probe,
          readinessProbe: probe,
          lifecycle: z.object({
            preStop: z.object({
              exec: z.object({ command: z.tuple([z.literal('sleep'), z.coerce.number()]) }),
            }),
          }),
        }),
      ]),
    }),
  }),
});

test('the chart allows exactly the settings with secrets in its Secret', async () => {
  const schema = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8'));
  expect(schema.properties.secret.propertyNames.enum.toSorted()).toEqual(settingsInFiles.toSorted());
  const values = parse(await readFile(join(chart, 'values.yaml'), 'utf8'));
  const known = Object.keys(schema.properties).filter((name) => name !== 'global');
  expect(Object.keys(values).toSorted()).toEqual(known.toSorted());
});

describe.skipIf(noHelm !== null)('rendered by helm', () => {
  const template = async (values: Record<string, unknown> = {}) => {
    const settings = Object.entries(values).flatMap(([name, value]) => [
      '--set-json',
      `${name}=${JSON.stringify(value)}`,
    ]);
    const { stdout } = await run(helm, ['template', 'gantry', chart, ...settings]);
    const objects = parseAllDocuments(stdout).map((document) => manifest.parse(document.toJS()));
    const found = objects.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');
    const { replicas, template } = workload.parse(found?.spec);
    const [container] = template.spec.containers;
    const secret = objects.find(({ kind }) => kind === 'Secret')?.stringData ?? {};
    const variables = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    return {
      kinds: objects.map(({ kind }) => kind).toSorted(),
      replicas,
      pod: template.spec,
      container,
      config: readConfig({ ...variables, ...secret }),
      text: stdout,
    };
  };
  const secret = {
    DATABASE_URL: 'postgres://gantry:secret@db.internal/gantry',
    REDIS_URL: 'redis://redis.internal:6379',
    GANTRY_SECRET_KEY: 'ab'.repeat(32),
  };

  test('it passes lint', async () => {
    const { stdout } = await run(helm, ['lint', '--strict', chart]);
    expect(stdout).toContain('0 chart(s) failed');
  });

  test('it accepts the values of the commands in the manual', async () => {
    const page = await readFile(join(repository, 'public/docs/kubernetes.md'), 'utf8');
    const commands = page.match(/^helm install (?:.*\\\n)*.*$/gm) ?? [];
    const annotation = /annotate the service instead: `([^`]+)`/.exec(page)?.[1];
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const rendering = `${command.replace(/^helm install/, '"$HELM" template')} ${annotation}`;
      const { stdout } = await run('bash', ['-c', rendering], { cwd: repository });
      expect(stdout).toContain('image: "registry.example/gantry:1"');
      expect(stdout).toContain('traefik.ingress.kubernetes.io/service.sticky.cookie: "true"');
    }
  });

  test('on SQLite it is one node with a volume and probes that the server answers', async () => {
    const { kinds, replicas, pod, container, config, text } = await template({
      'settings.LOG_LEVEL': 'debug',
    });
    expect(kinds).toEqual(['Ingress', 'Service', 'StatefulSet']);
    expect(replicas).toBe(1);
    expect(config).toMatchObject({
      publicUrl: 'https://play.example',
      trustedProxies: ['uniquelocal'],
      databaseUrl: undefined,
      logLevel: 'debug',
    });
    expect(text).toContain('readOnlyRootFilesystem: true');
    expect(text).toContain('host: play.example');
    const [, pause] = container.lifecycle.preStop.exec.command;
    const [, shutdown] =
      /shutdownTimeoutMs = (\d)_000/.exec(
        await readFile(join(repository, 'src/cli/run-server.ts'), 'utf8'),
      ) ?? [];
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + Number(shutdown));
    await using server = await startTestServer();
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect((await get(server.url + httpGet.path)).status).toBe(200);
    }
  });

  test('on PostgreSQL it is several nodes with their secrets, of which one may be away', async () => {
    const { kinds, replicas, pod, config } = await template({ database: 'postgresql', replicas: 3, secret });
    expect(kinds).toEqual(['Deployment', 'Ingress', 'PodDisruptionBudget', 'Secret', 'Service']);
    expect(replicas).toBe(3);
    expect(pod.volumes).toEqual([{ name: 'data', emptyDir: {} }]);
    expect(config).toMatchObject({ databaseUrl: secret.DATABASE_URL, redisUrl: secret.REDIS_URL });
  });

  test('it takes the secrets from a Secret that exists, and needs no Ingress', async () => {
    const { kinds, container } = await template({
      database: 'postgresql',
      existingSecret: 'my-settings',
      'ingress.enabled': false,
    });
    expect(kinds).toEqual(['Deployment', 'Service']);
    expect(container.envFrom).toEqual([{ secretRef: { name: 'my-settings' } }]);
  });

  test('every object has only fields that Kubernetes knows, with values of their types', async () => {
    await using place = await temporaryDirectory();
    const scheduling = { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'games', operator: 'Exists' }] };
    const annotations = { podAnnotations: { a: 'b' }, service: { annotations: { c: 'd' } } };
    const several = { database: 'postgresql', replicas: 3, secret, imagePullSecrets: [{ name: 'registry' }] };
    const texts = [await template(), await template({ ...several, ...scheduling, ...annotations })];
    // In an object literal, TypeScript refuses unknown properties.
    const objects = texts.flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS()));
    const lines = objects.map(({ apiVersion, kind }, at) => {
      const [, group = 'core', version = ''] = /^(?:(\w+)[\w.]*\/)?(v\d)$/.exec(apiVersion) ?? [];
      const types = join(repository, 'node_modules/kubernetes-types', group, version);
      return `import type { ${kind} as Kind${at} } from '${types}.d.ts'; export const object${at}: Kind${at} = `;
    });
    const file = join(place.path, 'objects.ts');
    await writeFile(file, lines.map((line, at) => `${line}${JSON.stringify(objects[at])};\n`).join(''));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--target', 'esnext'];
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const printed = await run(process.execPath, [tsc, ...options, file], { cwd: place.path }).catch(
      ({ stdout }) => ({ stdout }),
    );
    expect(printed.stdout).toBe('');
    expect(objects).toHaveLength(8);
  });

  test.each([
    ['two nodes on SQLite', { replicas: 2 }, '/replicas'],
    ['PostgreSQL without its secrets', { database: 'postgresql' }, "missing properties 'DATABASE_URL'"],
    ['a public URL with a path', { publicUrl: 'https://play.example/gantry' }, '/publicUrl'],
    ['a number as a setting', { 'settings.KEEP_ALIVE_SECONDS': 60 }, '/settings/KEEP_ALIVE_SECONDS'],
    ['a secret among the settings that is none', { 'secret.LOG_LEVEL': 'debug' }, 'LOG_LEVEL'],
    ['a value that does not exist', { replica: 3 }, "'replica'"],
  ])('it refuses %s', async (_, values, message) => {
    await expect(template(values)).rejects.toMatchObject({ stderr: expect.stringContaining(message) });
  });
});
