import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Finished } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

// Each test starts several processes, in parallel with other tests.
const wallet = `0x${'ab'.repeat(20)}`;

describe.concurrent('errors are reported in one sentence, with exit code 1 and no stack trace', () => {
  test.each([
    ['no command', [], /Usage: gantry/],
    ['an unknown command', ['gmae'], /unknown command 'gmae'\n.*game.*\n\(see gantry --help\)/],
    ['an unknown subcommand', ['game', 'rename'], /unknown command 'rename'/],
    ['an unknown option', ['game', 'list', '--jsn'], /unknown option '--jsn'/],
    ['a surplus argument', ['game', 'list', 'all'], /too many arguments/],
    [
      'a missing option',
      ['game', 'create'],
      /required option '--name <name>' not specified\n\(see gantry game create --help\)/,
    ],
    ['an option without its value', ['token', '--game'], /argument missing/],
    ['an empty name', ['game', 'create', '--name', ' '], /--name/],
    ['a slug with a space', ['game', 'create', '--name', 'x', '--slug', 'a b'], /--slug.*lowercase letters/],
    ['an unknown kind', ['game', 'create', '--name', 'x', '--kind', 'toy'], /--kind/],
    ['an invalid address', ['game', 'create', '--name', 'x', '--url', 'golf'], /--url.*http/],
    ['a scripted address', ['game', 'create', '--name', 'x', '--url', 'javascript:alert(1)'], /--url.*http/],
    [
      'an origin with a path',
      ['game', 'create', '--name', 'x', '--origin', 'https://a.example/x'],
      /--origin.*write https:\/\/a\.example/,
    ],
    ['an invalid wallet', ['token', '--game', 'g', '--wallet', '0x12'], /--wallet.*40 hex digits/],
    [
      'a wrong checksum',
      ['token', '--game', 'g', '--wallet', `0xAb${'ab'.repeat(19)}`],
      /--wallet.*checksum/,
    ],
    [
      'a missing rules file',
      ['rules', 'set', 'no-such.json', '--game', 'g'],
      /^There is no file no-such\.json\n$/,
    ],
    [
      'a non-numeric grace period',
      ['game', 'rotate-secret', '--game', 'g', '--grace', 'soon'],
      /--grace.*number of minutes/,
    ],
    [
      'an overlap beyond its limit, in its own unit',
      ['webhooks', 'rotate-secret', 'w', '--overlap', '50000'],
      /--overlap.*number of minutes, at most 43200/,
    ],
    ['an empty grace', ['game', 'rotate-secret', '--game', 'g', '--grace', ''], /--grace.*number of minutes/],
    [
      'a JSON option of another form',
      ['game', 'create', '--name', 'x', '--policies', '{"scores":"no","colour":1}'],
      /scores: must be "any" or "integer"; has unknown fields: colour/,
    ],
    [
      'a token that has expired',
      ['admin', 'create', 'bob', 'owner', '--expires', '0'],
      /must be more than 0/,
    ],
    ['an empty page', ['player', 'list', '--limit', '0'], /--limit.*1 or more/],
    ['a page of a negative size', ['leaderboard', '--game', 'g', '--limit', '-1'], /--limit.*1 or more/],
    ['a negative count', ['tail', '--last', '-1', '--no-follow'], /--last.*0 or more/],
    ['a misspelt event', ['tail', '--name', 'score created'], /--name.*Did you mean 'scores created'\?/],
    ['an unknown operation', ['admin', 'xyzzy'], /no such operation\.\n\(see gantry admin --help\)/],
    ['an unknown event', ['tail', '--name', 'nope'], /--name.*no such event\.\n\(see gantry tail --help\)/],
    ['a misspelt operation', ['admin', 'list-gams'], /no such operation\. Did you mean 'list-games'\?/],
    ['an event that is not stored', ['tail', '--name', 'config patched'], /--name.*not stored/],
    [
      'options that contradict each other',
      ['leaderboard', 'update', 'weekly', '--game', 'g', '--public', '--private'],
      /'--public' cannot be used with option '--private'/,
    ],
    ['a webhook of no URL', ['webhooks', 'create', '--game', 'g', '--url', 'x'], /--url.*must be a URL/],
    ['a health check of no URL', ['healthcheck', '--url', 'golf'], /--url.*must be a URL/],
    ['a directory that is not there', ['player', 'export', wallet, '/nowhere/x'], /no directory \/nowhere/],
    ['a negative grace', ['game', 'rotate-secret', '--game', 'g', '--grace', '-1'], /--grace/],
  ])('%s', async (_what, command, sentence) => {
    await using directory = await temporaryDirectory();
    expectSentence(await gantry(command, { env: { DATA_DIR: directory.path } }), sentence);
  });

  test('a game that does not exist', async () => {
    await using directory = await temporaryDirectory();
    const env = { DATA_DIR: directory.path };
    await gantry(['game', 'create', '--name', 'x'], { env });
    for (const command of [
      ['token', '--game', 'none', '--wallet', wallet],
      ['game', 'rotate-secret', '--game', 'none'],
      ['rules', 'get', '--game', 'none'],
      ['tail', '--game', 'none'],
      ['tail', '--game', crypto.randomUUID()],
    ]) {
      expectSentence(await gantry(command, { env }), /no game/);
    }
  });

  test('a folder with nothing to import', async () => {
    await using directory = await temporaryDirectory();
    const gameId = await createGame(directory.path);
    const files = join(directory.path, 'files');
    mkdirSync(files);
    writeFileSync(join(files, 'guests.csv'), 'id,name\n1,Ann\n');
    const command = ['import-from', 'csv', files, '--game', gameId];
    const imported = await gantry(command, { env: { DATA_DIR: directory.path } });
    expectSentence(
      imported,
      /^Found nothing to import in .*files\. For the files that Gantry reads from csv, see .*\n {2}guests\.csv is none of players\.csv/,
    );
    rmSync(join(files, 'guests.csv'));
    writeFileSync(join(files, 'players.csv'), '{"type":"player","id":"1"}\n');
    const refusals = join(directory.path, 'refusals.ndjson');
    expectSentence(
      await gantry([...command, '--refusals', refusals], { env: { DATA_DIR: directory.path } }),
      /^Found nothing to import in .*\n {2}.*players\.csv is JSON instead of CSV: .*"gantry import-from ndjson"/,
    );
  });

  test.each([['docs'], ['sdk', 'python']])('%s into the data directory', async (...command) => {
    await using directory = await temporaryDirectory();
    const data = join(directory.path, 'data');
    mkdirSync(data);
    const link = join(directory.path, 'link');
    symlinkSync(data, link);
    for (const out of [data, link]) {
      const written = await gantry([...command, '--out', out], { env: { DATA_DIR: data } });
      expectSentence(written, /is the data directory \(DATA_DIR\)/);
    }
    expect(readdirSync(data)).toEqual([]);
  });

  test('a slug in use', async () => {
    await using directory = await temporaryDirectory();
    await gantryJson(['game', 'create', '--name', 'One', '--slug', 'one'], directory.path);
    const again = await gantry(['game', 'create', '--name', 'Two', '--slug', 'one'], {
      env: { DATA_DIR: directory.path },
    });
    expectSentence(again, /slug one/);
  });

  test.each(['0.5', '0.3333333', '1e15'])(
    'a grace period of %s minutes is accepted or refused with a clear error',
    async (grace) => {
      await using directory = await temporaryDirectory();
      const gameId = await createGame(directory.path);
      const rotation = ['game', 'rotate-secret', '--game', gameId, '--grace', grace];
      const finished = await gantry(rotation, { env: { DATA_DIR: directory.path } });
      if (finished.code !== 0) expectSentence(finished, /--grace/);
    },
  );

  test.each([
    ['not JSON', '[{', /cannot be read as JSON/],
    ['not a list', '{"trigger":"win"}', /rules: /],
    [
      'an unknown operator',
      rulesWith({ conditions: [payloadCondition('like')] }),
      /0\.actions\.0\.conditions\.0\.operator/,
    ],
    ['a misspelt field', rulesWith({ mesage: 'hi' }), /mesage/],
    ['an unknown action', '[{"trigger":"win","actions":[{"type":"MintERC20"}]}]', /MintERC20.*IssueToken/],
  ])('rules that are %s are refused, and nothing is stored', async (_what, content, sentence) => {
    await using directory = await temporaryDirectory();
    const gameId = await createGame(directory.path);
    const file = join(directory.path, 'rules.json');
    writeFileSync(file, content);
    const set = await gantry(['rules', 'set', file, '--game', gameId], { env: { DATA_DIR: directory.path } });
    expectSentence(set, sentence);
    expect(set.stderr).toContain(file);
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(await gantryJson(['rules', 'get', '--game', gameId], directory.path)).toMatchObject({
      version: 0,
    });
  });

  test.each([
    ['PORT', 'eighty', 'must be a number'],
    ['PORT', '70000', 'must be at most 65,535'],
    ['SESSION_DAYS', '-1'],
    ['LOG_LEVEL', 'loud'],
    ['PUBLIC_URL', 'gantry.example'],
    ['PUBLIC_URL', 'https://example.org/gantry'],
    ['PUBLIC_URL', 'https://example.org?gantry'],
    ['KEEP_ALIVE_SECONDS', '0'],
    ['GANTRY_DEMO', 'maybe'],
  ])('the setting %s=%s', async (name, value, why = '') => {
    await using directory = await temporaryDirectory();
    const env = { DATA_DIR: directory.path, [name]: value };
    expectSentence(await gantry(['serve'], { env }), new RegExp(`environment variables[^]*${name}: ${why}`));
  });

  test('rules of another form, in the words of the API', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'rules.json');
    writeFileSync(file, '[{"trigger":"win","actions":[]},{"actions":[{"type":"Notify","message":"hi"}]}]');
    const refused = await gantry(['rules', 'set', file, '--game', 'g'], {
      env: { DATA_DIR: directory.path },
    });
    expectSentence(refused, /0\.actions: must have at least 1 entry\n {2}1\.trigger: is required/);
  });

  test('a data directory that is a file', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'data');
    writeFileSync(file, 'a file');
    expectSentence(await gantry(['game', 'list'], { env: { DATA_DIR: file } }), new RegExp(file));
  });

  test('a name to listen at that does not exist', async () => {
    await using directory = await temporaryDirectory();
    const env = { DATA_DIR: directory.path, GANTRY_DEMO: 'off', HOST: 'no-such-host.invalid' };
    expectSentence(
      await gantry(['serve'], { env }),
      /(ENOTFOUND|EAI_AGAIN) no-such-host.invalid.*HOST .*address of this machine/, // EAI_AGAIN: there is no DNS server
    );
  });
});

/** Checks that a command failed properly: no result, and a readable error message. */
function expectSentence({ code, stdout, stderr }: Finished, words: RegExp) {
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at |Sqlite|TypeError|node:internal/m);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

async function createGame(dataDirectory: string): Promise<string> {
  const created = await gantryJson(['game', 'create', '--name', 'One'], dataDirectory);
  return (created as { gameId: string }).gameId;
}

function rulesWith(extra: object): string {
  return JSON.stringify([{ trigger: 'win', actions: [{ type: 'Notify', message: 'hi', ...extra }] }]);
}

function payloadCondition(operator: string) {
  return { type: 'payload-value-condition', operator, value: 1 };
}
