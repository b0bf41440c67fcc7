import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '../../src/core/events/tables.ts';
import { erasePlayerData } from '../../src/features/administration/player-eraser.ts';
import type { AnyOperation } from '../../src/features/operation.ts';
import type { NewLeaderboard } from '../../src/features/scores/leaderboard.ts';
import { addLeaderboard } from '../../src/features/scores/leaderboard-commands.ts';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { newWebhookSecret } from '../../src/features/webhooks/webhook-secret.ts';
import { operations } from '../../src/server/declarations/operations.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { caseOf } from '../operations/cases.ts';
import { type Caller, plainStyles } from '../support/call-styles.ts';
import { isAboutConnection, operationNamed } from '../support/registered.ts';
import { rowsIn } from '../support/rows-in.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { createWorld, credentialFieldsOf, headersOf, type Role, type World } from '../support/world.ts';
import { type TextField, textFieldsOf } from './text-fields.ts';

// A text of each player in every field that takes one, found by the operations' schemas; after erasing the player, none
// of them is in any column of any declared table or in any event. A new field or a new table is included by itself.

/** Operations about games and administration, whose texts are not a player's. Every other write is tested. */
const notAboutPlayers: ReadonlySet<string> = new Set([
  ...['createGame', 'updateGame', 'deleteGame', 'rotateGameSecret', 'revokeGameSecret', 'setRules'],
  ...['createWebhook', 'updateWebhook', 'removeWebhook', 'rotateWebhookSecret', 'testWebhook'],
  ...['createLeaderboard', 'updateLeaderboard', 'removeLeaderboard', 'resetLeaderboard'],
  ...['publishNews', 'updateNews', 'removeNews', 'publishRelease', 'removeRelease'],
  ...[
    'setConfig',
    'rollBackConfig',
    'createEvent',
    'updateEvent',
    'removeEvent',
    'setMaintenance',
    'endMaintenance',
  ],
  ...['createAdministrator', 'updateAdministrator', 'rotateAdministratorToken', 'revokeAdministrator'],
  ...['makeBackup', 'downloadBackup', 'removeBackup', 'setBackupSchedule', 'endLeaderboardSeason'],
  'batch', // executes the other operations
]);

const written = operations
  .map(({ name }) => operationNamed(name))
  .filter((one) => one.kind !== 'read' && !notAboutPlayers.has(one.name) && !isAboutConnection(one)); // not stored

/** Further inputs, where the one of the operation's case changes nothing or takes fewer texts. */
const inputs: Readonly<Record<string, (world: World) => Promise<Record<string, unknown>>>> = {
  createMessageChannel: async ({ stranger }) => ({ otherParticipants: [stranger.wallet] }),
  setPlayerState: async ({ gameId, owner }) => ({ gameId, wallet: owner.wallet, label: 'new', state: '1' }),
  setUserScore: async (world) => {
    const rules: NewLeaderboard = {
      ...{ name: 'weekly', keep: 'best', order: 'desc', entries: 'player', labels: [], public: true },
      ...{ schedule: null, keepSeasons: 1 },
    };
    await world.server.services.db.write(addLeaderboard, world.gameId, rules);
    return { score: 90, nonce: 'own', leaderboard: 'weekly' };
  },
};

/** Why a field takes no text of one's own: it names something that must exist. */
const isReference = (reason: string) => /_unknown$|^not_a_launcher$|^player_not_banned$/.test(reason);

/** Texts that are not stored: they only select what is removed or changed, or are stored as a hash. */
const notStored = [
  'markNotificationsRead notificationIds.0',
  'removeReaction reaction',
  'removeState label',
  'vouchForPlayer playerId',
];

interface Marked {
  field: string;
  marker: string;
  /** The player whose text it is. */
  wallet: string;
}

let server: TestServer;
let callers: readonly Caller[];
beforeAll(async () => {
  server = await startTestServer({ RATE_LIMIT_FACTOR: '100000' });
  callers = await Promise.all(
    [plainStyles['dedicated HTTP'], plainStyles['method dispatch']].map((open) => open(server.url)),
  );
});
afterAll(async () => {
  for (const caller of callers) caller[Symbol.dispose]();
  await server.close();
});

/**
 * Calls an operation in its own world, with a text in one field. When the field takes no text of one's own, returns the
 * reasons of the refusals.
 */
async function mark(operation: AnyOperation, { path }: TextField): Promise<Marked | Set<string>> {
  const world = await createWorld(server);
  await server.services.db.write(addWebhook, {
    gameId: world.gameId,
    url: 'http://127.0.0.1:9/', // where nothing is sent, so that deliveries wait
    filter: 'all',
    sealedSecret: server.box.seal(newWebhookSecret()),
  });
  const { input, caller: usual = 'owner' } = caseOf(operation);
  const isForAdmin = operation.auth === 'admin';
  const role = isForAdmin ? 'administrator' : usual;
  const bases = [await input(world, role), await inputs[operation.name]?.(world)];
  const marker = `m${randomBytes(8).toString('hex')}`;
  const texts = [marker, JSON.stringify(marker), { [marker]: marker }, `https://a.example/${marker}`];
  const headers = {
    ...headersOf(world, role),
    ...(!isForAdmin && { 'Idempotency-Key': randomBytes(8).toString('hex') }),
  };
  const refused = new Set<string>();
  for (const caller of isForAdmin ? callers.slice(0, 1) : callers) {
    for (const base of bases.toReversed()) {
      for (const text of base ? texts : []) {
        const sent = { ...credentialFieldsOf(world, role), ...withValue(base, path, text) };
        const { status, body } = await caller.call(operation, sent, headers);
        if (status === 200) {
          // A note about a friend is the caller's; other texts are of the player that the input names.
          const isCallers = operation.name === 'updateFriend';
          const named = isCallers ? undefined : (walletIn(base) ?? walletIn(body));
          const wallet = named ?? walletOf(world, role);
          return { field: `${operation.name} ${path.join('.')}`, marker, wallet };
        }
        refused.add(String(Object(body).data?.reason));
      }
    }
  }
  return refused;
}

function withValue(
  input: unknown,
  [key, ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (key === undefined) throw new Error('a field has a path');
  const copy = structuredClone(input) as Record<string, unknown> | undefined;
  const inner =
    rest.length === 0 ? value : withValue(copy?.[key] ?? (rest[0] === '0' ? [] : {}), rest, value);
  if (Array.isArray(copy)) return Object.assign(copy, { [key]: inner });
  return { ...copy, [key]: inner };
}

/** The player that an input or an answer names. */
function walletIn(value: unknown): string | undefined {
  const { wallet, wallets } = Object(value) as { wallet?: unknown; wallets?: unknown };
  const [first] = Array.isArray(wallets) ? wallets : [wallet];
  return typeof first === 'string' ? first.toLowerCase() : undefined;
}

function walletOf(world: World, role: Role): string {
  return role === 'participant' || role === 'stranger' || role === 'guest' || role === 'banned'
    ? world[role].wallet
    : world.owner.wallet;
}

/** The tables with a row that contains a text, by the text. */
async function found(texts: readonly string[]): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  for (const { name } of [...tables, events]) {
    const rows = JSON.stringify(await rowsIn(server.services.db, `SELECT * FROM ${name}`, {}));
    for (const text of texts) if (rows.includes(text)) all.set(text, [...(all.get(text) ?? []), name]);
  }
  return all;
}

test('erasing a player removes their texts of every field of every operation from every table and event', async () => {
  const marked: Marked[] = [];
  const notTaken: string[] = [];
  for (const operation of written) {
    for (const field of textFieldsOf(operation)) {
      const result = await mark(operation, field);
      if ('marker' in result) marked.push(result);
      else if (![...result].some(isReference))
        notTaken.push(`${operation.name} ${field.path.join('.')}: ${[...result].join()}`);
    }
  }
  expect(notTaken).toEqual([]);
  const texts = marked.map(({ marker }) => marker);
  const before = await found(texts);
  const unstored = marked.filter(({ marker }) => !before.has(marker));
  expect(unstored.map(({ field }) => field).toSorted()).toEqual(notStored);
  const wallets = new Set(marked.map(({ wallet }) => wallet));
  await Promise.all([...wallets].map((wallet) => erasePlayerData(server.services.db, tables, wallet)));
  const after = await found(texts);
  const left = marked.flatMap(({ field, marker }) => {
    const where = after.get(marker);
    return where ? [`${field}: ${where.join()}`] : [];
  });
  expect(left).toEqual([]);
});
