import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { dataFiles, environment } from '../../src/config.ts';
import { endReason } from '../../src/domain/channel-session.ts';
import { gamePolicies } from '../../src/domain/game.ts';
import { reasons } from '../../src/errors.ts';
import { catalogue, signals } from '../../src/events/catalogue.ts';
import type { AnyOperation } from '../../src/operations/define.ts';
import { operations } from '../../src/operations/operations.ts';
import { kebabCase } from '../../src/operations/registry.ts';
import { get, post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
/** What is said, without what is pasted. */
const prose = readme.replace(/^```.*?^```$/gms, '');

test('README.md has exactly one row for every operation, and it says what the registry says', () => {
  const callers = operations.filter(({ service }) => service !== 'admin');
  expect(table('Operations')).toEqual(callers.map(rowOf));
});

test("README.md has exactly one row for every administrator's operation, and it says what the registry says", () => {
  const administrators = operations.filter(({ service }) => service === 'admin');
  const rows = administrators.map(({ name, summary }) => [
    quoted(name),
    quoted(`POST /admin/${kebabCase(name)}`),
    summary,
  ]);
  expect(table('Administration')).toEqual(rows);
});

test('README.md has exactly one row for every policy of a game, with its default', () => {
  const defaults = Object.entries(gamePolicies.parse({}));
  const rows = defaults.map(([policy, value]) => [quoted(policy), quoted(JSON.stringify(value))]);
  expect(columns(table('Administration', 1), 0, 1)).toEqual(rows);
});

test('README.md has exactly one row for every event and every signal', () => {
  expect(columns(table('Live events', 0), 0)).toEqual(Object.keys(catalogue).map(quotedCell));
  expect(columns(table('Live events', 1), 0)).toEqual(Object.keys(signals).map(quotedCell));
});

test('README.md has exactly one row for every reason why a session ends', () => {
  expect(columns(table('Channel sessions'), 0)).toEqual(endReason.options.map(quotedCell));
});

test('README.md has exactly one row for every reason a caller can be refused for, with its status', () => {
  const rows = Object.entries(reasons).map(([reason, status]) => [quoted(reason), `${status}`]);
  expect(columns(table('Errors'), 0, 1)).toEqual(rows);
});

test('README.md has exactly one row for every environment variable that is read, with its default', () => {
  const fields = Object.entries(environment.shape);
  expect(columns(table('Configuration'), 0)).toEqual(fields.map(([name]) => [quoted(name)]));
  const defaults = fields.flatMap(([name, field]) => {
    const value = field.safeParse(undefined).data;
    return value === undefined ? [] : [[quoted(name), quoted(String(value))]];
  });
  expect(columns(table('Configuration'), 0, 1)).toEqual(expect.arrayContaining(defaults));
});

test('README.md has the rate limits that the server announces', async () => {
  await using server = await startTestServer({ RATE_LIMIT_FACTOR: '1' });
  const { gameId } = await server.createGame();
  const { launcherJwt, wallet } = await server.openSession(gameId);
  const announced = async (method: string, input: object) => {
    const { headers } = await post(`${server.url}/launcher`, input, { 'X-Service-Method': method });
    const [, points, seconds] = /q=(\d+);w=(\d+)$/.exec(headers.get('RateLimit-Policy') ?? '') ?? [];
    return `${points} in ${seconds} s`;
  };
  expect(columns(table('Rate limits').slice(0, 4), 0, 1)).toEqual([
    ['reads', await announced('getUserScore', { launcherJwt })],
    ['writes', await announced('setUserScore', { launcherJwt, score: 1 })],
    [quoted('createUnverifiedChannel'), await announced('createUnverifiedChannel', { gameId, wallet })],
    [quoted('verifyUnverifiedChannel'), await announced('verifyUnverifiedChannel', { channelId: '?' })],
  ]);
});

test('README.md has exactly one row for every metric of ours', async () => {
  await using server = await startTestServer();
  const { body } = await get(`${server.url}/metrics`, { Authorization: `Bearer ${server.adminToken}` });
  const names = [...String(body).matchAll(/^# TYPE (gantry_\w+)/gm)].map(([, name = '']) => name);
  expect(columns(table('Logs and metrics'), 0)).toEqual(names.map(quotedCell));
});

test('README.md names every file of the data directory', () => {
  const files = Object.values(dataFiles('')).map((file) => basename(file));
  expect(files.filter((file) => !section('The data directory').includes(`- ${quoted(file)}`))).toEqual([]);
});

test('every link of README.md and CONTRIBUTING.md leads somewhere', () => {
  for (const file of ['README.md', 'CONTRIBUTING.md']) {
    const text = readFileSync(new URL(file, root), 'utf8');
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`);
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) =>
      link.startsWith('#') ? !anchors.includes(link) : !existsSync(new URL(link, root)),
    );
    expect(broken, file).toEqual([]);
  }
});

test('CONTRIBUTING.md has every folder of src/ and test/ on its maps', () => {
  const contributing = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8');
  const unmapped = (folder: string, asShown: (name: string) => string) =>
    readdirSync(new URL(folder, root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !contributing.includes(asShown(entry.name)))
      .map(({ name }) => folder + name);
  expect([
    ...unmapped('src/', (name) => (name === 'transports' ? '  transports/http/ ' : `\n  ${name}/ `)),
    ...unmapped('test/', (name) => `\`test/${name}/\``),
  ]).toEqual([]);
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

function rowOf({ name, service, summary, getPath }: AnyOperation): string[] {
  const paths = [`POST /launcher/${kebabCase(name)}`, ...(getPath ? [`GET ${getPath}`] : [])];
  return [quoted(name), paths.map(quoted).join(', '), quoted(service), summary];
}

function quoted(code: string): string {
  return `\`${code}\``;
}

function quotedCell(code: string): string[] {
  return [quoted(code)];
}

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function section(heading: string): string {
  const [, text] = prose.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`README.md has no section "${heading}"`);
  return text.split('\n## ')[0] ?? '';
}

/** The rows of a section's table (the first one, or the one so many tables further), without its heading. */
function table(heading: string, index = 0): string[][] {
  const tables = section(heading).match(/(?:^\|.*\n)+/gm) ?? [];
  const rows = (tables[index] ?? '').trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function columns(rows: readonly string[][], ...wanted: number[]): string[][] {
  return rows.map((row) => wanted.map((column) => row[column] ?? ''));
}
