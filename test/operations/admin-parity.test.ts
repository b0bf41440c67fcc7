import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAuditLog } from '../../src/features/administration/queries.ts';
import { namesOf } from '../../src/features/operation.ts';
import { adminStyles } from '../support/administrators.ts';
import type { Caller } from '../support/call-styles.ts';
import { normalised } from '../support/normalise.ts';
import { adminOperations, operationNamed } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';
import { createWorld } from '../support/world.ts';
import { caseOf, refusalHere } from './cases.ts';
import { failingAdminCalls } from './failing-admin-calls.ts';

const changing = adminOperations.filter(({ kind }) => kind !== 'read');
const reading = adminOperations.filter(({ kind }) => kind === 'read');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function newestEntry() {
  const { total, rows } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
  return { total, entry: rows[0] };
}

describe.each(Object.entries(adminStyles))('by %s', (_, { actor, open }) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await open(server);
  });
  afterAll(() => caller[Symbol.dispose]());

  test.each(adminOperations)('$name returns the same as over every interface', async (operation) => {
    const world = await createWorld(server);
    const { input, answer } = caseOf(operation);
    const { body } = await caller.call(operation, await input(world, 'administrator'));
    const refusedHere = refusalHere(operation);
    if (refusedHere !== null) expect(body).toMatchObject({ success: false, data: { reason: refusedHere } });
    else expect(normalised(body, world)).toEqual(answer);
  });

  test.each(adminOperations.filter(({ input }) => 'gameId' in input.shape))(
    '$name takes the slug of a game for its id',
    async (operation) => {
      const world = await createWorld(server);
      const { input, answer } = caseOf(operation);
      const given = Object(await input(world, 'administrator'));
      const isNamed = given.gameId === world.gameId;
      const { body } = await caller.call(operation, isNamed ? { ...given, gameId: world.gameSlug } : given);
      if (refusalHere(operation) === null) expect(normalised(body, world)).toEqual(answer);
    },
  );

  test('an alias returns the same as its operation', async () => {
    const aliased = adminOperations.flatMap((of) =>
      namesOf(of)
        .slice(1)
        .map((name) => ({ ...of, name, caseOf: caseOf(of) })),
    );
    expect(aliased.map(({ name }) => name)).toContain('serverFigures');
    for (const { caseOf, ...alias } of aliased) {
      const world = await createWorld(server);
      const { body } = await caller.call(alias, await caseOf.input(world, 'administrator'));
      expect(normalised(body, world), alias.name).toEqual(caseOf.answer);
    }
  });

  test.each(failingAdminCalls)(
    '$operation with $title is refused the same as over every interface',
    async (failing) => {
      const world = await createWorld(server);
      const operation = operationNamed(failing.operation);
      const input = await failing.input(world);
      const answer = await caller.call(operation, input);
      expect(answer).toMatchObject({
        status: failing.code,
        body: { success: false, code: failing.code, name: failing.name, data: { reason: failing.reason } },
      });

      using reference = await adminStyles['/admin with the admin token']?.open(server);
      expect(answer.body).toEqual((await reference?.call(operation, input))?.body);
    },
  );

  test.each(changing)('$name is in the audit log, with its actor, input and outcome', async (operation) => {
    const world = await createWorld(server);
    const input = await caseOf(operation).input(world, 'administrator');
    const { total } = await newestEntry();
    const { text } = await caller.call(operation, input);

    const { total: now, entry } = await newestEntry();
    expect(now).toBe(total + 1);
    expect(entry).toMatchObject({
      actor,
      operation: operation.name,
      outcome: refusalHere(operation) ?? 'ok',
    });
    expect(Math.abs(Date.now() - (entry?.at ?? 0))).toBeLessThan(60_000);
    const logged = JSON.stringify(entry);
    for (const secret of text.match(
      /gsk_[\w-]+|gadm_[\w-]+|\/admin\/backups\/[\w-]+|whsec_[\w+/]+|eyJ[\w.-]+/g,
    ) ?? [])
      expect(logged).not.toContain(secret);
    // Erasing must not leave the erased player in the log.
    if (operation.name === 'erasePlayer') expect(logged).not.toContain(world.owner.wallet);
    const shown = operation.auditInput ? operation.auditInput(input as never) : input;
    expect(entry?.input).toMatchObject(Object(shown));
  });

  test.each(reading)('$name, which changes nothing, is not in the audit log', async (operation) => {
    const world = await createWorld(server);
    const input = await caseOf(operation).input(world, 'administrator');
    const { total } = await newestEntry();
    await caller.call(operation, input);
    expect((await newestEntry()).total).toBe(total);
  });

  test('refused calls are in the audit log with the reason', async () => {
    const { gameSlug } = await createWorld(server);
    await caller.call(operationNamed('createGame'), { name: 'Orbit again', slug: gameSlug });
    expect((await newestEntry()).entry).toMatchObject({
      actor,
      operation: 'createGame',
      outcome: 'slug_taken',
    });
  });
});

describe('gantry admin', () => {
  test('executes an operation by the name in its path and prints the result', async () => {
    const world = await createWorld(server);
    const { input, answer } = caseOf({ name: 'listPlayers' });
    const requested = JSON.stringify(await input(world, 'administrator'));
    const printed = await gantryJson(['admin', 'list-players', requested], server.config.dataDirectory);
    expect(normalised(printed, world)).toEqual(answer);
  });

  test('says why an operation was refused, and ends with 1', async () => {
    const ran = await gantry(['admin', 'ban-player', '{"wallet":"0x12"}'], {
      env: { DATA_DIR: server.config.dataDirectory },
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^wallet: .+\n$/);
  });
});
