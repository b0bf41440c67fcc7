import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AnyOperation } from '../../src/features/operation.ts';
import { caseOf } from '../operations/cases.ts';
import { failingAdminCalls } from '../operations/failing-admin-calls.ts';
import { failingCalls } from '../operations/failing-calls.ts';
import { ownStyles } from '../support/call-styles.ts';
import { get, post } from '../support/http.ts';
import {
  adminOperations,
  isAboutConnection,
  launcherOperations,
  needsToken,
  operationNamed,
  pathOf,
  registry,
  takesToken,
} from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { bearer, createWorld, credentialFieldsOf, type World } from '../support/world.ts';

const json = z.object({
  content: z.object({
    'application/json': z.object({ schema: z.looseObject({}), example: z.unknown().optional() }),
  }),
});
const described = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['query', 'header']),
        schema: z.looseObject({ enum: z.array(z.string()).optional() }),
      }),
    )
    .default([]),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  requestBody: json.optional(),
  responses: z.object({ 200: json, 400: json, 401: json }),
});
const openApi = z.object({
  openapi: z.string(),
  servers: z.tuple([z.object({ url: z.url() })]),
  paths: z.record(z.string(), z.object({ get: described.optional(), post: described.optional() })),
  components: z.object({
    schemas: z.record(z.string(), z.looseObject({ required: z.array(z.string()).optional() })),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.enum(['http', 'apiKey']) })),
  }),
});

let server: TestServer;
/** The document as served, as far as the tests below read it. */
let served: Record<string, unknown>;
let document: z.infer<typeof openApi>;
let ajv: Ajv2020;
beforeAll(async () => {
  server = await startTestServer();
  served = asObject((await get(`${server.url}/openapi.json`)).body);
  document = openApi.parse(served);
  ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(served, 'openapi');
});
afterAll(() => server.close());

test('the document is OpenAPI 3.1 by its own schema', async () => {
  const validator = new Validator();
  expect(await validator.validate(served)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  expect(document.servers[0].url).toBe(server.url);
});

test('every operation has a topic, whose page is in the manual', async () => {
  const topics = z.array(z.object({ title: z.string(), page: z.string() })).parse(served['x-topics']);
  for (const operation of registry.operations) {
    const topic = at(served, `#/paths/${pathOf(operation).replaceAll('/', '~1')}/post/x-topic`);
    expect(
      topics.map(({ title }) => title),
      operation.name,
    ).toContain(topic);
  }
  for (const { page } of topics) {
    const [name = '', anchor] = page.split('#');
    const response = await fetch(`${server.url}/docs/${name}`);
    expect(response.status, page).toBe(200);
    if (anchor !== undefined) expect(await response.text(), page).toContain(`id="${anchor}"`);
  }
});

test('every $ref resolves', () => {
  const references = [...JSON.stringify(served).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
  expect(references.length).toBeGreaterThan(registry.operations.length * 2);
  expect(references.filter((reference) => at(served, reference) === undefined)).toEqual([]);
});

test('no two entries have the same operationId', () => {
  const ids = Object.values(document.paths).flatMap(({ get, post }) =>
    [get, post].flatMap((entry) => entry?.operationId ?? []),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('nothing is listed that the server does not answer', async () => {
  for (const [path, { get: byGet, post: byPost }] of Object.entries(document.paths)) {
    if (byPost) expect((await post(server.url + path, {})).status, `POST ${path}`).not.toBe(404);
    if (byGet) expect((await get(server.url + path)).status, `GET ${path}`).not.toBe(404);
  }
});

test('every path is listed: one for each operation, one for each service, those called with GET, and no other', () => {
  const own = registry.operations.flatMap((one) => [pathOf(one), ...(one.getPath ? [one.getPath] : [])]);
  const services = [...registry.services].map((service) => `/${service}`);
  expect(Object.keys(document.paths).toSorted()).toEqual([...new Set([...own, ...services])].toSorted());
});

test('the paths for method dispatch name all their operations and aliases, and none of administrators', () => {
  for (const service of registry.services) {
    const names = launcherOperations
      .filter((one) => service === 'launcher' || one.service === service)
      .flatMap((one) => [one.name, ...(one.aliases ?? [])]);
    const further = launcherOperations.flatMap((one) =>
      (one.alsoOn ?? []).filter((also) => also.service === service).map(({ name }) => name),
    );
    const header = document.paths[`/${service}`]?.post?.parameters.find(
      ({ name }) => name === 'X-Service-Method',
    );
    expect(header?.schema.enum?.toSorted(), service).toEqual([...names, ...further].toSorted());
  }
});

test("administrators' paths, and no others, require the admin token", () => {
  expect(document.components.securitySchemes).toMatchObject({
    adminToken: { scheme: 'bearer' },
    gameSecret: { scheme: 'bearer' },
  });
  const demands = (operation: AnyOperation) => document.paths[pathOf(operation)]?.post?.security;
  for (const one of adminOperations) expect(demands(one), one.name).toEqual([{ adminToken: [] }]);
  // A game's secret may be omitted, unless the game or the operation requires it.
  for (const one of launcherOperations) {
    const optional = one.auth === 'game-secret' ? [] : [{}];
    const expected = ['public', 'player-or-anyone'].includes(one.auth)
      ? []
      : [...optional, { gameSecret: [] }];
    expect(demands(one), one.name).toEqual(expected);
  }
});

test("administrators' operations that take a gameId, and no others, say that it may be a slug", () => {
  const saying = Object.entries(document.paths).flatMap(([path, { post }]) =>
    post?.description.includes("`gameId` may be the game's slug") ? [path] : [],
  );
  const named = adminOperations.filter(({ input }) => 'gameId' in input.shape);
  expect(saying.sort()).toEqual(named.map(pathOf).sort());
});

test('a launcherJwt is among the authorization schemes, as the header that GET accepts', () => {
  expect(document.components.securitySchemes).toMatchObject({
    launcherJwt: { type: 'apiKey', in: 'header', name: 'X-Launcher-Jwt' },
  });
  for (const service of registry.services) {
    const byGet = document.paths[`/${service}`]?.get;
    if (byGet?.operationId === `${service}DispatchByQuery`)
      expect(byGet.security).toContainEqual({ launcherJwt: [] });
  }
});

test('no bound is listed that every JSON number satisfies', () => {
  expect(JSON.stringify(served)).not.toContain('9007199254740991');
});

test('the document is compressed, and revalidated by ETag', async () => {
  const response = await fetch(`${server.url}/openapi.json`, { headers: { 'Accept-Encoding': 'br' } });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-encoding': 'br',
    'cache-control': 'public, no-cache',
    vary: expect.stringContaining('Accept-Encoding'),
  });
  expect(await response.json()).toEqual(served);
  expect(Number(response.headers.get('content-length'))).toBeLessThan(JSON.stringify(served).length / 5);
  const again = await fetch(`${server.url}/openapi.json`, {
    headers: {
      'Accept-Encoding': 'br',
      'If-None-Match': response.headers.get('etag') ?? '',
      'Cache-Control': 'max-age=0', // or fetch itself disables caching
    },
  });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('the signature headers and the idempotency key header are listed wherever they work', () => {
  for (const one of launcherOperations) {
    const names = document.paths[pathOf(one)]?.post?.parameters.map(({ name }) => name);
    const keyed = one.kind === 'write' && !one.isRepeatable ? ['Idempotency-Key'] : [];
    const signing = ['X-Request-Nonce', 'X-Request-Signature', 'X-Request-Timestamp'];
    expect(names, one.name).toEqual([...signing, ...keyed]);
  }
});

describe.each(registry.operations)('$name', (operation) => {
  test('is listed under its path, with its input and output', () => {
    const entry = document.paths[pathOf(operation)]?.post;
    expect(entry).toMatchObject({ operationId: operation.name, summary: operation.summary });
    const takes = requestSchema(operation);
    expect(takes).toMatchObject({ type: 'object' });
    expect(takes?.required?.includes('launcherJwt') ?? false).toBe(needsToken(operation));
    // A game's server sends one instead of the other.
    const isOpen = ['player-or-server', 'player-or-game'].includes(operation.auth);
    const fields = Object.keys(takes?.properties ?? {});
    expect(fields.includes('launcherJwt') && fields.includes('wallet')).toBe(
      isOpen || (needsToken(operation) && 'wallet' in operation.input.shape),
    );
    if (operation.getPath) expect(document.paths[operation.getPath]?.get).toBeDefined();
  });

  test('has an example of a call and its response, which match the listed schemas', () => {
    const entry = document.paths[pathOf(operation)]?.post;
    const [requested, answered] = [entry?.requestBody, entry?.responses[200]].map(
      (one) => one?.content['application/json'].example,
    );
    expect(requested).toBeTypeOf('object');
    expect(answered).toBeTypeOf('object');
    expect(faults(requestPointer(operation), requested)).toEqual([]);
    expect(faults(responsePointer(operation, 200), answered)).toEqual([]);
  });

  test('accepts and returns what is listed', async () => {
    const { input, caller: role = 'owner' } = caseOf(operation);
    const world = await createWorld(server);
    const sent = {
      ...(takesToken(operation) && credentialFieldsOf(world, role)),
      ...asObject(JSON.parse(JSON.stringify(await input(world, role)))),
    };
    expect(faults(requestPointer(operation), sent)).toEqual([]);

    const secret = operation.auth === 'game-secret' ? bearer(world.gameSecret) : undefined;
    const { status, body, text } = await call(operation, sent, secret);
    expect(status, text).toBe(200);
    expect(faults(responsePointer(operation, 200), body)).toEqual([]);
    // The schema is specific: it fits only such responses.
    expect(faults(responsePointer(operation, 200), {})).not.toEqual([]);
    expect(faults(responsePointer(operation, 200), { ...asObject(body), unlisted: 1 })).not.toEqual([]);
  });
});

test.each([...failingCalls, ...failingAdminCalls].filter(({ code }) => code < 402))(
  '$operation with $title returns the listed error',
  async (failing) => {
    const operation = operationNamed(failing.operation);
    const world = await createWorld(server);
    const sent = {
      ...(takesToken(operation) && { launcherJwt: world.owner.launcherJwt }),
      ...(await failing.input(world)),
    };
    const { status, body } = await call(operation, sent);
    expect(status === 400 || status === 401).toBe(true);
    expect(faults(responsePointer(operation, status === 400 ? 400 : 401), body)).toEqual([]);
  },
);

interface Accepted {
  title: string;
  operation: string;
  input(world: World): Promise<Record<string, unknown>> | Record<string, unknown>;
}

const acceptedInputs: readonly Accepted[] = [
  {
    title: 'an address with a checksum',
    operation: 'getUsersPositionInGameScoreLeaderboard',
    input: ({ gameId, keys }) => ({ gameId, wallet: keys.owner.address }),
  },
  {
    title: 'an address in capitals',
    operation: 'createMessageChannel',
    input: ({ participant }) => ({
      otherParticipants: [`0x${participant.wallet.slice(2).toUpperCase()}`],
    }),
  },
  {
    title: 'a signature in capitals',
    operation: 'verifyUnverifiedChannel',
    async input(world) {
      const { channelId, signature } = z
        .object({ channelId: z.string(), signature: z.string() })
        .parse(await caseOf(operationNamed('verifyUnverifiedChannel')).input(world, 'owner'));
      return { channelId, signature: `0x${signature.slice(2).toUpperCase()}` };
    },
  },
  {
    title: 'the longest message, in characters of two UTF-16 units',
    operation: 'sendChannelMessage',
    input: ({ channelId }) => ({ channelId, content: '\u{1F3C1}'.repeat(4000) }),
  },
  { title: 'an empty nonce', operation: 'setUserScore', input: () => ({ score: 1, nonce: '' }) },
];

test.each(acceptedInputs)(
  '$title, which is accepted, is listed as valid',
  async ({ operation: name, input }) => {
    const operation = operationNamed(name);
    const world = await createWorld(server);
    const sent = {
      ...(takesToken(operation) && { launcherJwt: world.owner.launcherJwt }),
      ...(await input(world)),
    };
    const { status, text } = await call(operation, sent);
    expect(status, text).toBe(200);
    expect(faults(requestPointer(operation), sent)).toEqual([]);
  },
);

/** Calls by the operation's own path; over a connection, if it is about one. */
async function call(
  operation: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  secret?: Record<string, string>,
) {
  const style = isAboutConnection(operation) ? 'Socket.IO, signed in' : 'dedicated HTTP';
  using caller = await ownStyles[style](server.url);
  const headers = operation.auth === 'admin' ? bearer(server.adminToken) : secret;
  return await caller.call(operation, input, headers);
}

/** The validation errors of a value against the schema at a position in the document. */
function faults(pointer: string, value: unknown): string[] {
  const validate = ajv.getSchema(`openapi${pointer}`);
  if (!validate) throw new Error(`the document has no schema at ${pointer}`);
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

function requestPointer(operation: AnyOperation): string {
  return `#/paths/${pathOf(operation).replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`;
}

function responsePointer(operation: AnyOperation, status: 200 | 400 | 401): string {
  return `#/paths/${pathOf(operation).replaceAll('/', '~1')}/post/responses/${status}/content/application~1json/schema`;
}

function requestSchema(operation: AnyOperation) {
  const schema = document.paths[pathOf(operation)]?.post?.requestBody?.content['application/json'].schema;
  const name = String(schema?.$ref).replace('#/components/schemas/', '');
  return document.components.schemas[name];
}

/** The target of a JSON pointer (RFC 6901, as a URI fragment). */
function at(root: unknown, fragment: string): unknown {
  if (!fragment.startsWith('#/')) return undefined;
  return fragment
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, part) => (node === undefined ? undefined : asObject(node)[part]), root);
}

function asObject(value: unknown): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(value);
}
