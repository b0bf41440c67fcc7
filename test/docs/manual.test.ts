import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { maxCallsOfBatch } from '../../src/calls/execute-batch.ts';
import { callLimits } from '../../src/calls/limits/rate-limits.ts';
import { type ByteRate, byteRates, heldPerAddress } from '../../src/calls/limits/traffic.ts';
import { createProgram } from '../../src/cli/program.ts';
import { dataFiles, environment, readConfig } from '../../src/config.ts';
import { reasons } from '../../src/core/errors.ts';
import { adminRole } from '../../src/core/schemas/admin-role.ts';
import { openedBy } from '../../src/core/schemas/opened-by.ts';
import { maxFollowed } from '../../src/features/events/connection.ts';
import { maxFriends, maxReceived, maxSent } from '../../src/features/friends/friend.ts';
import { maxOpenInvites } from '../../src/features/friends/invite.ts';
import { gamePolicies } from '../../src/features/games/game.ts';
import {
  maxJoinedChannels,
  maxParticipants,
  maxSharedChannels,
  maxStartedChannels,
} from '../../src/features/messages/message-channel.ts';
import { maxParticipantsOnPage } from '../../src/features/messages/queries.ts';
import type { AnyOperation } from '../../src/features/operation.ts';
import { maxRulesLength } from '../../src/features/rules/rule-bounds.ts';
import { endReason } from '../../src/features/sessions/channel-session.ts';
import { maxLiveSessions } from '../../src/features/sessions/commands.ts';
import { maxFields } from '../../src/features/states/large-input.ts';
import { maxPageBytes } from '../../src/features/states/queries.ts';
import { maxStateBytes } from '../../src/features/states/state.ts';
import { maxWebhooks } from '../../src/features/webhooks/webhook.ts';
import { lengthPerSecond, packetsPerSecond } from '../../src/server/build-transports.ts';
import { events, signals } from '../../src/server/declarations/events.ts';
import { operations } from '../../src/server/declarations/operations.ts';
import { baseUnpackedBytes, maxBodyBytes, maxUnpackRatio } from '../../src/transports/http/bodies.ts';
import { refusedBytesPerSecond } from '../../src/transports/http/body-intake.ts';
import { maxRequestsInFlight } from '../../src/transports/http/in-flight-requests.ts';
import { minBytesPerSecond } from '../../src/transports/http/slow-clients.ts';
import { maxCursors } from '../../src/transports/live/catch-up.ts';
import { maxHandshakeLength } from '../../src/transports/live/handshake-info.ts';
import { maxQueuedBytes } from '../../src/transports/live/outgoing-queue.ts';
import { get, post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { documents } from './documents.ts';

const root = new URL('../../', import.meta.url);

test('the manual has exactly one row for every operation, and it says what the registry says', () => {
  const callers = operations.filter(({ service }) => service !== 'admin');
  expect(table('calling', 'Operations')).toEqual(callers.map(rowOf));
});

test("the manual has exactly one row for every administrator's operation, and it says what the registry says", () => {
  const administrators = operations.filter(({ service }) => service === 'admin');
  const rolesOf = ({ roles }: AnyOperation) =>
    roles?.length === adminRole.options.length ? 'all' : (roles ?? []).join(', ');
  const rows = administrators.map((operation) => [
    quoted(operation.name),
    rolesOf(operation),
    operation.summary,
  ]);
  expect(table('administration')).toEqual(rows);
});

test('the manual says what every role may do', () => {
  expect(columns(table('administrators', 'Roles'), 0)).toEqual(adminRole.options.map(quotedCell));
});

test('the manual has exactly one row for every policy of a game, with its default', () => {
  const defaults = Object.entries(gamePolicies.parse({}));
  const rows = defaults.map(([policy, value]) => [quoted(policy), quoted(JSON.stringify(value))]);
  expect(columns(table('games', 'Policies'), 0, 1)).toEqual(rows);
});

test('the manual has exactly one row for every event and every signal', () => {
  expect(columns(table('live-events'), 0)).toEqual(Object.keys(events).map(quotedCell));
  expect(columns(table('live-events', null, 1), 0)).toEqual(Object.keys(signals).map(quotedCell));
});

test('the manual has exactly one row for every reason why a session ends', () => {
  expect(columns(table('authentication', 'Channel sessions'), 0)).toEqual(endReason.options.map(quotedCell));
  expect(columns(table('security', 'Permissions by kind of session'), 0)).toEqual(
    openedBy.options.map(quotedCell),
  );
});

test('the manual has exactly one row for every reason a caller can be refused for, with its status', () => {
  const rows = Object.entries(reasons).map(([reason, status]) => [quoted(reason), `${status}`]);
  expect(columns(table('errors'), 0, 1)).toEqual(rows);
});

test('the manual has exactly one row for every environment variable that is read, with its default', () => {
  const fields = Object.entries(environment.shape);
  expect(columns(table('configuration'), 0)).toEqual(fields.map(([name]) => [quoted(name)]));
  const defaults = fields.flatMap(([name, field]) => {
    const value = field.safeParse(undefined).data;
    return value === undefined ? [] : [[quoted(name), quoted(String(value))]];
  });
  expect(columns(table('configuration'), 0, 1)).toEqual(expect.arrayContaining(defaults));
});

test('the manual has exactly one row for every command, with its options, in the groups of --help', () => {
  const groups = Map.groupBy(createProgram().commands, (command) => command.helpGroup().replace(':', ''));
  for (const [title, commands] of groups) {
    const rows = commands.flatMap((command) => usagesOf(command, ['gantry', command.name()]));
    expect(table('command-line', title), title).toEqual(rows);
  }
});

test('the manual states the rate limits that the server announces', async () => {
  await using server = await startTestServer({ RATE_LIMIT_FACTOR: '1' });
  const { gameId } = await server.createGame();
  const { launcherJwt, wallet } = await server.openSession(gameId);
  const announced = async (method: string, input: object) => {
    const { headers } = await post(`${server.url}/launcher`, input, { 'X-Service-Method': method });
    const [, points, seconds] = /q=(\d+);w=(\d+)$/.exec(headers.get('RateLimit-Policy') ?? '') ?? [];
    return `${points} in ${seconds} s`;
  };
  expect(columns(table('rate-limits', 'Calls').slice(0, 4), 0, 1)).toEqual([
    ['reads', await announced('getUserScore', { launcherJwt })],
    ['writes', await announced('setUserScore', { launcherJwt, score: 1 })],
    [quoted('createUnverifiedChannel'), await announced('createUnverifiedChannel', { gameId, wallet })],
    [quoted('verifyUnverifiedChannel'), await announced('verifyUnverifiedChannel', { channelId: '?' })],
  ]);
});

test('the manual states every limit of calls', () => {
  const rows = Object.values(callLimits).map(({ points, seconds }) => [`${count(points)} in ${seconds} s`]);
  expect(columns(table('rate-limits', 'Calls'), 1)).toEqual(rows);
});

test('the manual states every limit of bytes', () => {
  const rate = ({ burst, perSecond }: ByteRate) => [`${size(burst)} at once, ${size(perSecond)} a second`];
  const { heldBytes, storageQuota, gameStorageQuota } = readConfig({});
  expect(columns(table('rate-limits', 'Bytes'), 1)).toEqual([
    rate(byteRates.wallet),
    rate(byteRates.address),
    rate(byteRates.game),
    rate(byteRates.files),
    [size(heldPerAddress)],
    [size(heldBytes)],
    [
      `${size(maxBodyBytes)}; compressed, at most ${size(baseUnpackedBytes)} and ${maxUnpackRatio} times what was sent`,
    ],
    [`${size(refusedBytesPerSecond)} a second`],
    [size(maxStateBytes)],
    [size(maxPageBytes)],
    [`${size(minBytesPerSecond)} a second`],
    [`${size(minBytesPerSecond)} a second`],
    [`${size(lengthPerSecond)} and ${count(packetsPerSecond)} packets a second`],
    [size(maxQueuedBytes)],
    [size(storageQuota)],
    [size(gameStorageQuota)],
  ]);
});

test('the manual states every other budget', () => {
  const { connectionsPerAddress, retention, transactions } = readConfig({});
  const { maxGas, dailyWei } = transactions.bounds;
  const { CHAIN_MAX_FEE_GWEI } = environment.shape;
  const budgets = [
    connectionsPerAddress,
    maxRequestsInFlight,
    maxLiveSessions,
    `${count(maxCursors)}, and ${size(maxHandshakeLength)}`,
    maxFollowed,
    maxStartedChannels,
    maxSharedChannels,
    maxJoinedChannels,
    maxParticipants,
    maxParticipantsOnPage,
    maxCallsOfBatch,
    maxFields,
    retention.maxCount,
    maxFriends,
    maxSent,
    maxReceived,
    maxOpenInvites,
    maxWebhooks,
    `500, of ${count(maxRulesLength)} characters`,
    gamePolicies.parse({}).spending.transactionsPerDay,
    maxGas,
    CHAIN_MAX_FEE_GWEI.parse(undefined),
    `10^${Math.log10(Number(dailyWei))}`,
  ];
  const rows = budgets.map((budget) => [typeof budget === 'string' ? budget : count(budget)]);
  expect(columns(table('rate-limits', 'Other budgets'), 1)).toEqual(rows);
});

test('the tables of budgets name every budget setting, and no other; and reasons with their statuses', () => {
  const tables = ['Calls', 'Bytes', 'Other budgets'].map((heading) => table('rate-limits', heading));
  const settings = tables.flatMap((rows, index) => rows.map((row) => row[[3, 3, 2][index] ?? 0] ?? ''));
  const named = settings.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));
  const bounds = Object.entries(environment.shape).flatMap(([name, { description = '' }]) =>
    /^(Maximum|Multiplies|Memory for|Storage for)/.test(description) ? [name] : [],
  );
  expect(new Set(named)).toEqual(new Set(bounds));
  const policies = settings.flatMap((cell) => /polic(?:y|ies) `(\w+)`/.exec(cell)?.[1] ?? []);
  expect(Object.keys(gamePolicies.parse({}))).toEqual(expect.arrayContaining(policies));

  const told = section('rate-limits', null);
  const answers = [...told.matchAll(/`(\w+)` \((\d{3})\)/g)].map(([, reason = '', status]) => [
    reason,
    Number(status),
  ]);
  for (const [reason, status] of answers)
    expect([reason, Object.entries(reasons)]).toEqual([reason, expect.arrayContaining([[reason, status]])]);
  const refusals = Object.entries(reasons).filter(([, status]) => status === 413 || status === 429);
  expect(answers).toEqual(expect.arrayContaining(refusals));
});

test('the manual has exactly one row for every metric of ours', async () => {
  await using server = await startTestServer();
  const { body } = await get(`${server.url}/metrics`, { Authorization: `Bearer ${server.adminToken}` });
  const names = [...String(body).matchAll(/^# TYPE (gantry_\w+)/gm)].map(([, name = '']) => name);
  expect(columns(table('logs-and-metrics'), 0)).toEqual(names.map(quotedCell));
});

test('the manual names every file of the data directory', () => {
  const files = Object.values(dataFiles('')).map((file) => basename(file));
  expect(
    files.filter((file) => !section('operating', 'The data directory').includes(`- ${quoted(file)}`)),
  ).toEqual([]);
});

test('README.md has at most 300 lines', () => {
  expect(documents.get('README.md')?.split('\n').length).toBeLessThanOrEqual(300);
});

test('every link of README.md, CONTRIBUTING.md and the manual has a target', () => {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
  for (const path of [...documents.keys(), 'CONTRIBUTING.md']) {
    const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      // An SDK's archive is created from its folder on request.
      const made = file.replace(/^(\.\.\/sdk\/[a-z]+)\.zip$/, '$1');
      const target = file === '' ? path : posix.join(posix.dirname(path), made);
      if (!existsSync(new URL(target, root))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(broken, path).toEqual([]);
  }
});

test('CONTRIBUTING.md lists every folder of src/ and test/, each once', () => {
  const contributing = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8');
  const unmapped = (folder: string, asShown: (name: string) => string) =>
    readdirSync(new URL(folder, root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !contributing.includes(asShown(entry.name)))
      .map(({ name }) => folder + name);
  expect([
    ...unmapped('src/', (name) => `\n  ${name}/ `),
    ...unmapped('src/features/', (name) => ` ${name}/`),
    ...unmapped('test/', (name) => `\`test/${name}/\``),
  ]).toEqual([]);
  const rows = [...contributing.matchAll(/^\| `(test\/[\w-]+\/)`/gm)].map(([, folder]) => folder);
  expect(rows.filter((folder, at) => rows.indexOf(folder) < at)).toEqual([]);
});

test('CONTRIBUTING.md follows a score from HTTP to a launcher through at most 30 files, which exist', () => {
  const contributing = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8');
  const [, walk = ''] = /^## Request flow\n(.*?)^## Add an operation/ms.exec(contributing) ?? [];
  const isFile = (path: string) => existsSync(new URL(`src/${path}`, root));
  const visited = new Set<string>();
  let folder = '';
  for (const [, name = ''] of walk.matchAll(/`([\w/-]+\.ts)`/g)) {
    if (name === 'events.ts') continue; // any feature's
    const path = name.includes('/')
      ? name
      : [posix.join(folder, name), posix.join(folder, '..', name)].find(isFile);
    expect(path !== undefined && isFile(path), name).toBe(true);
    visited.add(path ?? name);
    folder = posix.dirname(path ?? name);
  }
  // For a call over a socket, and for signals.
  for (const path of ['transports/socket/rpc.ts', 'core/events/signals.ts'])
    expect(visited.delete(path)).toBe(true);
  expect(visited.size).toBeGreaterThan(20);
  expect(visited.size).toBeLessThanOrEqual(30);
});

test('CONTRIBUTING.md names every program that .ci/run installs for the tests', () => {
  const script = readFileSync(new URL('.ci/run', root), 'utf8');
  const contributing = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8');
  const [, listed = ''] = /^for program in ([^;]+);/m.exec(script) ?? [];
  const others = [...script.matchAll(/missing\+=\(([\w-]+)\)/g)].map(([, name = '']) => name);
  const programs = [...listed.split(' '), ...others];
  expect(programs).toEqual(expect.arrayContaining(['redis-server', 'openssl', 'nginx-light']));
  expect(programs.filter((name) => !contributing.includes(quoted(name)))).toEqual([]);
});

/** A row for each subcommand, and the command itself when there are none. */
function usagesOf(command: Command, path: readonly string[]): string[][] {
  if (command.commands.length > 0) {
    return command.commands.flatMap((one) => usagesOf(one, [...path, one.name()]));
  }
  const taken = command.registeredArguments.map((one) =>
    one.required ? `<${one.name()}>` : `[${one.name()}]`,
  );
  const options = command.options.filter(({ hidden, long }) => !hidden && long !== '--json');
  const [needed, others] = [true, false].map((wanted) =>
    options
      .filter(({ mandatory }) => mandatory === wanted)
      .map(({ flags }) => (wanted ? flags : `[${flags}]`)),
  );
  const usage = [...path, ...taken, ...(needed ?? []), ...(others ?? [])].join(' ');
  return [[quoted(usage), command.description()]];
}

function rowOf({ name, service, summary }: AnyOperation): string[] {
  return [quoted(name), quoted(service), summary];
}

function quoted(code: string): string {
  return `\`${code}\``;
}

function quotedCell(code: string): string[] {
  return [quoted(code)];
}

/** A renamed heading keeps its former anchor. */
const formerAnchor = /<a id="([\w-]+)"><\/a>/g;

/** As GitHub creates them, and the former ones of renamed headings. */
function anchorsOf(text: string): string[] {
  const former = [...text.matchAll(formerAnchor)].map(([, id = '']) => id);
  const current = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(formerAnchor, '')
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  return [...former, ...current];
}

/** A section's text, without code blocks; without a heading, the whole page. */
function section(page: string, heading: string | null): string {
  const prose = documents
    .get(`public/docs/${page}.md`)
    ?.replace(/^```.*?^```$/gms, '')
    .replace(formerAnchor, '');
  if (prose === undefined) throw new Error(`there is no page "${page}"`);
  if (heading === null) return prose;
  const [, text] = prose.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`"${page}" has no section "${heading}"`);
  return text.split('\n## ')[0] ?? '';
}

/** The rows of a section's table (the first one, or a later one by index), without its header. */
function table(page: string, heading: string | null = null, index = 0): string[][] {
  const tables = section(page, heading).match(/(?:^\|.*\n)+/gm) ?? [];
  const rows = (tables[index] ?? '').trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function count(value: number | bigint): string {
  return value.toLocaleString('en');
}

/** A text of this many bytes. */
function size(bytes: number): string {
  const units = ['GiB', 'MiB', 'KiB'];
  const at = units.findIndex((_, power) => bytes >= 1024 ** (3 - power));
  return `${bytes / 1024 ** (3 - at)} ${units[at]}`;
}

function columns(rows: readonly string[][], ...wanted: number[]): string[][] {
  return rows.map((row) => wanted.map((column) => row[column] ?? ''));
}
