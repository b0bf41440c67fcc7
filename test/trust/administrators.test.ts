import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createAdministrator,
  whoAmI,
} from '../../src/features/administration/administrators/operations/administrators.ts';
import { auditEntry } from '../../src/features/administration/audit-log.ts';
import { readAuditLog } from '../../src/features/administration/queries.ts';
import { get, post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);

const call = (token: string, path: string, input: object = {}, at: Pick<TestServer, 'url'> = server) =>
  post(`${at.url}/admin/${path}`, input, bearer(token));

async function create(name: string, role: string, more: object = {}, at = server) {
  const { status, body } = await call(at.adminToken, 'create-administrator', { name, role, ...more }, at);
  expect(status, JSON.stringify(body)).toBe(200);
  const { administrator, token } = createAdministrator.output.parse(body);
  return { ...administrator, token };
}

const refusal = (code: number, reason: string) => ({ status: code, body: { data: { reason } } });

describe('a named administrator', () => {
  it('calls with a personal token, can query their own identity, and is named in the audit log', async () => {
    const { token, administratorId } = await create('Ada', 'moderator');
    expect(token).toMatch(/^gadm_[\w-]{43}$/);
    const { body } = await call(token, 'who-am-i');
    expect(whoAmI.output.parse(body)).toMatchObject({
      administratorId,
      name: 'Ada',
      role: 'moderator',
      expiresAt: null,
      operations: expect.not.arrayContaining(['rotateGameSecret', 'listBackups', 'listAdministrators']),
    });
    const { wallet } = await server.openSession((await server.createGame()).gameId);
    expect((await call(token, 'ban-player', { wallet })).status).toBe(200);
    const { rows } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
    expect(auditEntry.parse(rows[0])).toMatchObject({
      actor: 'Ada',
      administratorId,
      operation: 'banPlayer',
      outcome: 'ok',
    });
  });

  it('with the moderator role cannot rotate a secret, and is told which role can', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const { token } = await create('Alan', 'moderator');
    const answer = await call(token, 'rotate-game-secret', { gameId, graceSeconds: 0 });
    expect(answer).toMatchObject(refusal(403, 'role_insufficient'));
    expect(answer.body).toMatchObject({
      message: 'rotateGameSecret requires the role owner or operator, and Alan is moderator: ask an owner',
    });
    const { launcherJwt } = await server.openSession(gameId);
    const set = await post(
      `${server.url}/launcher/set-user-score`,
      { launcherJwt, score: 1 },
      bearer(gameSecret),
    );
    expect(set.status).toBe(200);
  });

  it('reads the metrics whatever the role', async () => {
    const { token } = await create('Prometheus', 'read-only');
    expect((await get(`${server.url}/metrics`, bearer(token))).status).toBe(200);
    expect((await get(`${server.url}/metrics`, bearer(`${token}x`))).status).toBe(401);
  });

  it('has a token that is stored as a hash only, and in no entry of the audit log', async () => {
    await using directory = await temporaryDirectory();
    const own = await startTestServer({ DATA_DIR: directory.path });
    const { token, administratorId } = await create('Grace', 'owner', {}, own);
    const rotated = await call(own.adminToken, 'rotate-administrator-token', { administratorId }, own);
    const next = createAdministrator.output.parse(rotated.body).token;
    const log = await call(own.adminToken, 'list-audit-log', { limit: 10 }, own);
    const listed = await call(own.adminToken, 'list-administrators', {}, own);
    await own.close();
    const kept = [
      JSON.stringify([log.body, listed.body]),
      ...readdirSync(directory.path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
    ];
    expect(kept.length).toBeGreaterThan(2);
    for (const secret of [token, next]) {
      expect(kept.filter((text) => text.includes(secret.slice(5)))).toEqual([]);
    }
  });

  it('whose role, token or access changes is affected on every node from the next call on', async () => {
    await using directory = await temporaryDirectory();
    await using one = await startTestServer({ DATA_DIR: directory.path });
    await using other = await startTestServer({ DATA_DIR: directory.path });
    const { token, administratorId } = await create('Barbara', 'operator', {}, one);
    const makeGame = (with_: string) => call(with_, 'create-game', { name: 'Orbit' }, other);
    expect((await makeGame(token)).status).toBe(200);
    await call(one.adminToken, 'update-administrator', { administratorId, role: 'read-only' }, one);
    expect(await makeGame(token)).toMatchObject(refusal(403, 'role_insufficient'));
    await call(one.adminToken, 'update-administrator', { administratorId, role: 'operator', name: 'B' }, one);
    expect((await makeGame(token)).status).toBe(200);
    const rotated = await call(one.adminToken, 'rotate-administrator-token', { administratorId }, one);
    const next = createAdministrator.output.parse(rotated.body).token;
    expect(await makeGame(token)).toMatchObject(refusal(401, 'admin_token_invalid'));
    expect((await makeGame(next)).status).toBe(200);
    expect((await call(one.adminToken, 'revoke-administrator', { administratorId }, one)).status).toBe(200);
    const revoked = await makeGame(next);
    expect(revoked).toMatchObject(refusal(401, 'admin_token_invalid'));
    expect(JSON.stringify(revoked.body)).toContain('it was mistyped, revoked or replaced');
  });

  it('has a token that expires at its set time, and records its last use', async () => {
    const soon = await create('Edsger', 'operator', { lifetimeDays: 1 / 24 / 3600 });
    expect(soon.expiresAt).toBe(soon.createdAt + 1_000);
    await until('the token has expired', async () => (await call(soon.token, 'who-am-i')).status === 401);
    expect(await call(soon.token, 'who-am-i')).toMatchObject(refusal(401, 'admin_token_expired'));
    const { token } = await create('Donald', 'read-only');
    const lastUsedAt = async () => {
      const { body } = await call(server.adminToken, 'list-administrators');
      const { administrators } = body as { administrators: { name: string; lastUsedAt: number | null }[] };
      return administrators.find(({ name }) => name === 'Donald')?.lastUsedAt;
    };
    expect(await lastUsedAt()).toBeNull();
    await call(token, 'who-am-i');
    await until('the use is noted', async () => (await lastUsedAt()) !== null);
  });

  it('has a separate call budget', async () => {
    await using limited = await startTestServer({ RATE_LIMIT_FACTOR: '0.1' }); // 20 reads in 2 s
    const ada = await create('Ada', 'read-only', {}, limited);
    const bob = await create('Bob', 'read-only', {}, limited);
    const often = async (token: string) => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => call(token, 'list-games', {}, limited)),
      );
      return answers.filter(({ status }) => status === 200).length;
    };
    expect(await often(ada.token)).toBeLessThan(30);
    expect((await call(bob.token, 'list-games', {}, limited)).status).toBe(200);
    expect((await call(limited.adminToken, 'list-games', {}, limited)).status).toBe(200);
  });
});

describe('an owner', () => {
  it('can neither revoke nor demote themselves, but can rename themselves and issue themselves a new token', async () => {
    const { token, administratorId } = await create('Only', 'owner');
    const isSelf = refusal(400, 'administrator_is_self');
    expect(await call(token, 'revoke-administrator', { administratorId })).toMatchObject(isSelf);
    const demoted = await call(token, 'update-administrator', { administratorId, role: 'read-only' });
    expect(demoted).toMatchObject(isSelf);
    expect((await call(token, 'update-administrator', { administratorId, name: 'Still' })).status).toBe(200);
    const { body } = await call(token, 'rotate-administrator-token', { administratorId });
    const next = createAdministrator.output.parse(body).token;
    expect(await call(next, 'who-am-i')).toMatchObject({
      status: 200,
      body: { name: 'Still', role: 'owner' },
    });
  });

  it('is whoever has the admin token, whatever happens to all others', async () => {
    const { administratorId } = await create('Last', 'owner');
    await call(server.adminToken, 'revoke-administrator', { administratorId });
    expect(await call(server.adminToken, 'who-am-i')).toMatchObject({
      status: 200,
      body: { administratorId: null, name: 'admin-token', role: 'owner' },
    });
  });

  it.each([
    ['an empty name', { name: '  ', role: 'owner' }],
    ['a name with a line break', { name: 'Ada\nBob', role: 'owner' }],
    ['a name reserved by the audit log', { name: 'CLI', role: 'owner' }],
    ['a name that is too long', { name: 'a'.repeat(61), role: 'owner' }],
    ['an unknown role', { name: 'Eve', role: 'superuser' }],
    ['a lifetime of nothing', { name: 'Eve', role: 'owner', lifetimeDays: 0 }],
  ])('cannot add an administrator with %s', async (_, input) => {
    const answer = await call(server.adminToken, 'create-administrator', input);
    expect(answer).toMatchObject(refusal(400, 'input_invalid'));
  });
});

describe('gantry admin', () => {
  it('creates, lists, renames, gives another role and token, and revokes, by name', async () => {
    const { dataDirectory } = server.config;
    const run = (...args: string[]) => gantryJson(['admin', ...args], dataDirectory) as Promise<never>;
    const created: { administratorId: string; token: string } = await run(
      ...['create', 'Katherine Johnson', 'moderator', '--expires', '30'],
    );
    expect(await call(created.token, 'who-am-i')).toMatchObject({ body: { role: 'moderator' } });
    await run('rename', 'katherine johnson', 'Katherine');
    await run('role', 'Katherine', 'operator');
    expect(await call(created.token, 'who-am-i')).toMatchObject({
      body: { name: 'Katherine', role: 'operator' },
    });
    const { token }: { token: string } = await run('rotate', created.administratorId);
    expect((await call(created.token, 'who-am-i')).status).toBe(401);
    const listed: { name: string; expiresAt: number | null }[] = await run('list');
    expect(listed.find(({ name }) => name === 'Katherine')).toMatchObject({ expiresAt: null });
    expect(JSON.stringify(listed)).not.toContain(token);
    await run('revoke', 'Katherine');
    expect((await call(token, 'who-am-i')).status).toBe(401);
    const { rows } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
    expect(rows).toMatchObject([{ actor: 'cli', operation: 'revokeAdministrator', outcome: 'ok' }]);
  });

  it.each([
    [['role', 'Nobody', 'owner'], /no administrator with the name or ID Nobody/],
    [['create', 'Eve', 'king'], /'king' is invalid for argument 'role'/],
    [['create', 'cli', 'owner'], /must not be admin-token or cli/],
    [['create', 'Eve', 'owner', '--expires', 'soon'], /must be a number/],
  ])('%j is refused with a clear error', async (args, words) => {
    const { code, stdout, stderr } = await gantry(['admin', ...args], {
      env: { DATA_DIR: server.config.dataDirectory },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it("works on a remote server with a named administrator's token, within the role", async () => {
    const { token } = await create('Remote', 'moderator');
    const remote = (...args: string[]) =>
      gantry(['--url', server.url, 'admin', ...args], { env: { ADMIN_TOKEN: token } });
    expect(JSON.parse((await remote('who-am-i')).stdout)).toMatchObject({ name: 'Remote' });
    const refused = await remote('list');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/requires the role owner/);
  });
});
