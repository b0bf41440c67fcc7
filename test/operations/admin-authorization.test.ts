import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { readAuditLog } from '../../src/features/administration/queries.ts';
import { type AnyOperation, kebabCase, namesOf } from '../../src/features/operation.ts';
import { type Answer, fromHttp, overOneConnection, plainStyles } from '../support/call-styles.ts';
import { effectsOn } from '../support/effects.ts';
import { get, post } from '../support/http.ts';
import { adminOperations, launcherOperations, pathOf, registry } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { bearer, createWorld, ownersData, type World } from '../support/world.ts';
import { type Refusal, refused } from './access.ts';
import { caseOf, refusalHere } from './cases.ts';
import { errorBody, leaked } from './expected.ts';

/** What someone without the admin token may send instead. */
interface Stranger {
  title: string;
  headers?(world: World): Record<string, string>;
  /** Put into the body. */
  fields?(world: World): Record<string, unknown>;
}

const strangers: readonly Stranger[] = [
  { title: 'nothing' },
  { title: 'a wrong token', headers: () => bearer('not-the-admin-token-of-the-tests') },
  { title: 'the token cut short', headers: ({ server }) => bearer(server.adminToken.slice(0, -1)) },
  { title: 'the token with a trailing letter', headers: ({ server }) => bearer(`${server.adminToken}s`) },
  { title: 'the token in capitals', headers: ({ server }) => bearer(server.adminToken.toUpperCase()) },
  {
    title: 'the token twice',
    headers: ({ server }) => bearer(`${server.adminToken}, Bearer ${server.adminToken}`),
  },
  { title: 'the token without Bearer', headers: ({ server }) => ({ Authorization: server.adminToken }) },
  {
    title: 'the token as Basic',
    headers: ({ server }) => ({ Authorization: `Basic ${btoa(`admin:${server.adminToken}`)}` }),
  },
  { title: 'no token behind Bearer', headers: () => ({ Authorization: 'Bearer ' }) },
  {
    title: "the token's hash",
    headers: ({ server }) => bearer(createHash('sha256').update(server.adminToken).digest('hex')),
  },
  {
    title: 'the token in another header',
    headers: ({ server }) => ({ 'X-Launcher-Jwt': server.adminToken }),
  },
  { title: 'the token in the body', fields: ({ server }) => ({ launcherJwt: server.adminToken }) },
  { title: "the game's secret", headers: ({ gameSecret }) => bearer(gameSecret) },
  { title: "a player's token", headers: ({ owner }) => bearer(owner.launcherJwt) },
  { title: "a player's token in the body", fields: ({ owner }) => ({ launcherJwt: owner.launcherJwt }) },
  { title: "a launcher's token", headers: ({ tokens }) => bearer(String(tokens.launcher)) },
  { title: 'a forged launcher token', headers: ({ tokens }) => bearer(String(tokens.forged)) },
];

const cells = { refused: 0, elsewhere: 0, leaks: 0 };

let server: TestServer;
let effects: () => number;
beforeAll(async () => {
  server = await startTestServer();
  effects = effectsOn(server);
});
afterAll(async () => {
  await server.close();
  process.stdout.write(
    `administrators' authorization: ${cells.refused} cells refused (${adminOperations.length} operations × ${strangers.length} callers without the admin token), ` +
      `${cells.elsewhere} calls with it by ways that must not lead there, all refused; ${cells.leaks} leaks\n`,
  );
});

/** Everything that an administrator's call could change or reveal. */
async function standing(world: World): Promise<unknown> {
  const { total } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
  return { owners: await ownersData(world), audited: total, effects: effects() };
}

async function expectRefusal(
  world: World,
  operation: AnyOperation,
  call: (input: Record<string, unknown>) => Promise<Answer>,
  refusal: Refusal,
): Promise<void> {
  const input = await caseOf(operation).input(world, 'administrator');
  const before = await standing(world);
  const answer = await call(input);
  const leaks = leaked(world, input, answer);
  cells.leaks += leaks.length;
  expect(leaks).toEqual([]);
  expect(answer.status, answer.text).toBe(refusal.code);
  expect(answer.body).toEqual(errorBody(refusal));
  expect(await standing(world)).toEqual(before);
}

describe.each(adminOperations)('$name', (operation) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(server);
  });

  test.each(strangers)('is refused to a caller with $title', async ({ headers, fields }) => {
    using caller = await plainStyles['dedicated HTTP'](server.url);
    await expectRefusal(
      world,
      operation,
      (input) => caller.call(operation, { ...input, ...fields?.(world) }, headers?.(world)),
      refused(401, 'admin_token_invalid'),
    );
    cells.refused++;
  });

  test.each(wrongWays(operation))(
    'is not reached by $title, whatever the token',
    async ({ call, refusal }) => {
      await expectRefusal(world, operation, call, refusal);
      cells.elsewhere++;
    },
  );

  test('is for callers with the admin token', async () => {
    const input = await caseOf(operation).input(world, 'administrator');
    const answer = await post(server.url + pathOf(operation), input, bearer(server.adminToken));
    const refusedHere = refusalHere(operation);
    if (refusedHere !== null) expect(answer.body).toMatchObject({ data: { reason: refusedHere } });
    else expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  });
});

test.each(['short', 'with spaces in the middle', 'größer-als-ASCII-ist', 'x'.repeat(513)])(
  'an admin token that does not fit a header, or is too easy, is refused at the start: %s',
  (token) => {
    expect(() => readConfig({ ADMIN_TOKEN: token })).toThrow(/ADMIN_TOKEN: must be 16 to 512 characters/);
  },
);

test('no operation of games and launchers has a path under /admin', async () => {
  const former = new Set(adminOperations.flatMap((operation) => namesOf(operation).slice(1)));
  for (const { name } of launcherOperations) {
    if (former.has(name)) continue; // the administrators' own operation
    const answer = await post(`${server.url}/admin/${kebabCase(name)}`, {}, bearer(server.adminToken));
    expect(answer.status, name).toBe(404);
    expect(answer.body).toEqual(errorBody(refused(404, 'path_unknown')));
    cells.elsewhere++;
  }
});

interface WrongWay {
  title: string;
  call(input: Record<string, unknown>): Promise<Answer>;
  refusal: Refusal;
}

/** Every way that operations of games and launchers are called, and similar ones. */
function wrongWays(operation: AnyOperation): WrongWay[] {
  const { name } = operation;
  const withToken = () => bearer(server.adminToken);
  const method = { 'X-Service-Method': name };
  const unknownPath = refused(404, 'path_unknown');
  const unknownMethod = refused(405, 'method_unknown');
  const services = [...registry.services];
  return [
    {
      title: 'a dedicated path under /launcher',
      call: (input) => posted(`/launcher/${kebabCase(name)}`, input, withToken()),
      refusal: unknownPath,
    },
    {
      title: 'GET on its path',
      call: async () => fromHttp(await get(server.url + pathOf(operation), withToken())),
      refusal: unknownMethod,
    },
    {
      title: 'method dispatch on /admin',
      call: (input) => posted('/admin', input, { ...method, ...withToken() }),
      refusal: unknownPath,
    },
    ...services.map((service) => ({
      title: `method dispatch on /${service}`,
      call: (input: object) => posted(`/${service}`, input, { ...method, ...withToken() }),
      refusal: unknownMethod,
    })),
    {
      title: 'method dispatch with GET',
      call: async () => fromHttp(await get(`${server.url}/launcher`, { ...method, ...withToken() })),
      refusal: unknownMethod,
    },
    ...[...services, 'admin'].map((service) => ({
      title: `the socket's service ${service}`,
      call: (input: object) =>
        overOneConnection(server.url, {}, service, name, { ...input, launcherJwt: server.adminToken }),
      refusal: service === 'admin' ? refused(404, 'service_unknown') : unknownMethod,
    })),
    {
      title: 'a handshake with it',
      call: (input) => overOneConnection(server.url, { headers: withToken() }, 'launcher', name, input),
      refusal: refused(401, 'secret_invalid'),
    },
  ];
}

async function posted(path: string, input: object, headers: Record<string, string>): Promise<Answer> {
  return fromHttp(await post(server.url + path, input, headers));
}
