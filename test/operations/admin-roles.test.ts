import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AdminRole, adminRole } from '../../src/core/schemas/admin-role.ts';
import {
  hashOfToken,
  newAdministratorToken,
} from '../../src/features/administration/administrators/administrator.ts';
import { addAdministrator } from '../../src/features/administration/administrators/commands.ts';
import { readAuditLog } from '../../src/features/administration/queries.ts';
import { defineAdminOperation, defineOperation } from '../../src/features/operation.ts';
import { operationsOfRole } from '../../src/server/declarations/operations.ts';
import { plainStyles } from '../support/call-styles.ts';
import { effectsOn } from '../support/effects.ts';
import { adminOperations, launcherOperations } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { bearer, createWorld, ownersData, type World } from '../support/world.ts';
import { refused } from './access.ts';
import { caseOf, refusalHere } from './cases.ts';
import { errorBody, leaked } from './expected.ts';
import type { AdminOperationName } from './operation-case.ts';

/** The callers: a named administrator of each role, and somebody whose token was revoked. */
const callers = [...adminRole.options, 'none'] as const;
type AdminRoleOrNone = (typeof callers)[number];

const all = ['owner', 'operator', 'moderator', 'read-only'] as const;
const moderating = ['owner', 'operator', 'moderator'] as const;
const operating = ['owner', 'operator'] as const;
const owning = ['owner'] as const;

/** Deliberately repeated by hand, so that a wrong declaration fails. */
const allowed: Readonly<Record<AdminOperationName, readonly AdminRole[]>> = {
  createGame: operating,
  listGames: all,
  updateGame: operating,
  deleteGame: owning,
  rotateGameSecret: operating,
  listGameSecrets: all,
  revokeGameSecret: operating,
  publishNews: operating,
  updateNews: operating,
  removeNews: operating,
  listNewsItems: all,
  publishRelease: operating,
  removeRelease: operating,
  getRules: all,
  setRules: operating,
  testRules: operating,
  setConfig: operating,
  rollBackConfig: operating,
  readConfig: all,
  listConfigVersions: all,
  listActions: all,
  getAction: all,
  retryAction: operating,
  cancelAction: operating,
  createWebhook: operating,
  listWebhooks: all,
  updateWebhook: operating,
  removeWebhook: operating,
  rotateWebhookSecret: operating,
  testWebhook: operating,
  listWebhookDeliveries: all,
  replayWebhookDelivery: operating,
  listPlayers: all,
  getPlayerDetails: all,
  updatePlayer: moderating,
  banPlayer: moderating,
  unbanPlayer: moderating,
  exportPlayer: operating,
  erasePlayer: operating,
  listSessions: all,
  openSession: operating,
  openGuestSession: operating,
  revokeSession: moderating,
  listPlayerScores: all,
  removeScore: moderating,
  createEvent: operating,
  updateEvent: operating,
  removeEvent: operating,
  listGameEvents: all,
  setMaintenance: operating,
  endMaintenance: operating,
  listMaintenance: all,
  createLeaderboard: operating,
  listLeaderboards: all,
  updateLeaderboard: operating,
  removeLeaderboard: operating,
  resetLeaderboard: operating,
  listLeaderboardScores: all,
  listLeaderboardSeasons: all,
  listGameChannels: all,
  listMessages: all,
  listPlayerMessages: all,
  removeMessage: moderating,
  listReports: moderating,
  getReport: moderating,
  resolveReport: moderating,
  mutePlayer: moderating,
  unmutePlayer: moderating,
  listMutes: all,
  listStates: all,
  getPlayerState: all,
  setPlayerState: operating,
  listPlaySessions: all,
  getPlaySession: all,
  listEvents: all,
  listAuditLog: all,
  listRefusals: all,
  listRequests: all,
  getServerStats: all,
  getGameStats: all,
  getPlayerNames: all,
  listPlayerFriends: all,
  removePlayerFriend: moderating,
  listBans: all,
  serverSummary: all,
  whoAmI: all,
  listAdministrators: owning,
  createAdministrator: owning,
  updateAdministrator: owning,
  rotateAdministratorToken: owning,
  revokeAdministrator: owning,
  listBackups: operating,
  makeBackup: operating,
  downloadBackup: operating,
  removeBackup: operating,
  setBackupSchedule: operating,
};

const cells = { allowed: 0, refused: 0, leaks: 0 };
const tokens = new Map<AdminRoleOrNone, string>();

let server: TestServer;
let effects: () => number;
beforeAll(async () => {
  server = await startTestServer({ WEBHOOK_ALLOW_LOOPBACK: 'on' });
  effects = effectsOn(server);
  for (const role of callers) {
    const token = newAdministratorToken();
    tokens.set(role, token);
    if (role === 'none') continue;
    const hashed = { tokenHash: hashOfToken(token), lifetimeMs: null };
    await server.services.db.write(addAdministrator, `the ${role}`, role, hashed);
  }
});
afterAll(async () => {
  await server.close();
  process.stdout.write(
    `administrators' roles: ${cells.allowed + cells.refused} cells (${adminOperations.length} operations × ${callers.length} roles): ` +
      `${cells.allowed} carried out, ${cells.refused} refused; ${cells.leaks} leaks\n`,
  );
});

/** Everything that an administrator's call could change or reveal. */
async function standing(world: World): Promise<unknown> {
  const { total } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
  return { owners: await ownersData(world), audited: total, effects: effects() };
}

describe.each(adminOperations)('$name', (operation) => {
  const roles = allowed[operation.name as AdminOperationName];
  let unchanged: World;
  beforeAll(async () => {
    unchanged = await createWorld(server);
  });

  test.each(callers)('is for the role %s what the table says', async (role) => {
    const changes = operation.kind === 'write' && role !== 'none' && roles.includes(role);
    const world = changes ? await createWorld(server) : unchanged;
    const input = await caseOf(operation).input(world, 'administrator');
    const before = await standing(world);
    using caller = await plainStyles['dedicated HTTP'](server.url);
    const answer = await caller.call(operation, input, bearer(tokens.get(role) ?? ''));

    if (role !== 'none' && roles.includes(role)) {
      const refusedHere = refusalHere(operation);
      if (refusedHere !== null) {
        expect(answer.body).toMatchObject({ success: false, data: { reason: refusedHere } });
        return;
      }
      expect(answer.status, answer.text).toBe(200);
      if (operation.kind === 'write') {
        const { rows } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
        expect(rows[0]).toMatchObject({ actor: `the ${role}`, operation: operation.name, outcome: 'ok' });
      }
      cells.allowed++;
      return;
    }
    const leaks = leaked(world, input, answer);
    cells.leaks += leaks.length;
    expect(leaks).toEqual([]);
    const refusal = role === 'none' ? refused(401, 'admin_token_invalid') : refused(403, 'role_insufficient');
    expect(answer.status, answer.text).toBe(refusal.code);
    expect(answer.body).toEqual(errorBody(refusal));
    if (role !== 'none') {
      const { message } = answer.body as { message: string };
      for (const needed of roles) expect(message).toContain(needed);
      expect(message).toContain(`the ${role} is ${role}`);
    }
    expect(await standing(world)).toEqual(before);
    cells.refused++;
  });

  test('is refused by role before its input is validated', async () => {
    const role = all.findLast((one) => !roles.includes(one));
    if (role === undefined) return expect(roles).toEqual(all);
    using caller = await plainStyles['dedicated HTTP'](server.url);
    const answer = await caller.call(operation, { gameId: 7 }, bearer(tokens.get(role) ?? ''));
    expect(answer.body).toMatchObject({ data: { reason: 'role_insufficient' } });
  });
});

test('every administrator’s operation declares its roles, and no other has any', () => {
  for (const { name, roles } of adminOperations) {
    expect(roles?.toSorted(), name).toEqual(allowed[name as AdminOperationName].toSorted());
  }
  expect(launcherOperations.filter((one) => one.roles !== undefined)).toEqual([]);
});

test('the console is told what a role may call', () => {
  for (const role of all) {
    const names = Object.entries(allowed).flatMap(([name, roles]) => (roles.includes(role) ? [name] : []));
    expect(operationsOfRole(role).toSorted()).toEqual(names.toSorted());
  }
});

test('an administrator’s operation without roles does not compile, and is allowed to nobody', () => {
  const declared = {
    name: 'eraseEverything',
    kind: 'write',
    summary: 'Nothing anybody should do',
    input: z.object({}),
    output: z.object({}),
    handler: async () => ({}),
  } as const;
  // @ts-expect-error roles are missing
  const without = defineAdminOperation(declared);
  // @ts-expect-error there is nobody for whom it is
  defineAdminOperation({ ...declared, roles: [] });
  // @ts-expect-error roles are for administrators' operations
  defineOperation({ ...declared, service: 'launcher', auth: 'public', roles: all });
  // @ts-expect-error administrators' operations have a function of their own
  defineOperation({ ...declared, service: 'admin', auth: 'admin' });
  expect(without.roles).toBeUndefined();
  expect(all.flatMap((role) => operationsOfRole(role))).not.toContain('eraseEverything');
});
