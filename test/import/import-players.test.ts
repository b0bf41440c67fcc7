import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataFiles, readConfig } from '../../src/config.ts';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import { changeGame } from '../../src/features/administration/commands.ts';
import { readPlayerOverview } from '../../src/features/administration/player-overview.ts';
import { removeFriend } from '../../src/features/friends/commands.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import type { Game, GamePolicies } from '../../src/features/games/game.ts';
import { playerKeyOf, vouchForPlayer } from '../../src/features/guests/commands.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { maxLeaderboards } from '../../src/features/scores/leaderboard.ts';
import { addLeaderboard, endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import { readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { readState } from '../../src/features/states/state.ts';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { type OpenStore, openStore } from '../../src/server/open-store.ts';
import {
  type ImportReport,
  importPlayers,
  type SourceName,
  sources,
} from '../../src/tools/import/import-players.ts';
import { hour, sealedSecret, wholePage } from '../contracts/storage/fixture.ts';
import { randomWallet } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { countsOf, otherPlayer, writeExport } from './fixtures.ts';
import { importedIn } from './imported.ts';

/** Players of each system's fixture. */
const count = 40;

let directory: TemporaryDirectory;
let store: OpenStore;
let database: string;
let games = 0;
beforeAll(async () => {
  directory = await temporaryDirectory();
  const config = readConfig({ DATA_DIR: join(directory.path, 'data') });
  database = dataFiles(config.dataDirectory).database;
  store = await openStore(config);
});
afterAll(async () => {
  await store.db.close();
  await directory[Symbol.asyncDispose]();
});

const addGame = (): Promise<Game> =>
  store.db.write(registerGame, { name: 'Space Race', slug: `game-${++games}` }, sealedSecret());

interface Imported extends ImportReport {
  refusals: { file: string; line: number; reason: string }[];
}

async function importFiles(
  game: Game,
  source: SourceName,
  files: readonly string[],
  { login, isDryRun = false }: { login?: string; isDryRun?: boolean } = {},
): Promise<Imported> {
  const refusals: Imported['refusals'] = [];
  const report = await importPlayers(store.db, {
    ...{ source, files, game, login, isDryRun, idleMs: hour },
    refuse: ({ file, line }, reason) =>
      refusals.push({ file: file.slice(file.lastIndexOf('/') + 1), line, reason }),
    onProgress: () => {},
  });
  return { ...report, refusals };
}

/** Imports lines of our own format. */
function importLines(
  game: Game,
  lines: readonly (object | string)[],
  options?: { login?: string; isDryRun?: boolean },
) {
  const file = join(directory.path, `game-${++games}.ndjson`);
  writeFileSync(
    file,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return importFiles(game, 'ndjson', [file], options);
}

const keysOf = (game: Game, ...ids: string[]) => new Set(ids.map((id) => playerKeyOf(game.id, id)));
const importedOf = (game: Game, ...ids: string[]) => importedIn(database, keysOf(game, ...ids));

const vouch = (gameId: string, playerId: string) =>
  store.db.write(
    vouchForPlayer,
    { gameId, playerKey: playerKeyOf(gameId, playerId) },
    { address: newGuestAddress(), idleMs: hour },
    hour,
  );

async function ranking(game: Game, leaderboard: string): Promise<[name: string, score: number][]> {
  const board = await requireBoard(store.db, game, { leaderboard }, { isPublic: true });
  const rows = await store.db.read(readBoardPage, board, wholePage);
  return rows.map(({ username, score }) => [username, score]);
}

describe.each(Object.keys(sources) as SourceName[])('an export of %s', (source) => {
  const hasBlocks = source !== 'talo' && source !== 'playfab';
  const expected = Object.entries(countsOf(count, { hasBlocks }));
  /** Talo has no saves in its export; its players have properties instead. */
  const label = source === 'talo' ? 'props' : source === 'nakama' ? 'saves/slot' : 'save';
  const prefix = source === 'csv' || source === 'ndjson' ? '' : `${source}:`;

  test('becomes players with names, scores, states, friends and blocks, as its dry run has counted; again, nothing changes', async () => {
    const game = await addGame();
    const folder = join(directory.path, source);
    writeExport(source, folder, count);
    const files = (await readdir(folder)).toSorted().map((name) => join(folder, name));
    const all = Array.from({ length: count }, (_, index) => `${prefix}${otherPlayer(index, source).id}`);

    const dry = await importFiles(game, source, files, { isDryRun: true });
    expect(importedOf(game, ...all).players).toEqual([]);
    const first = await importFiles(game, source, files);
    const counted = (outcome: 'new' | 'unchanged') =>
      Object.fromEntries(
        expected.map(([kind, inSource]) => {
          const none = { new: 0, updated: 0, unchanged: 0, kept: 0, refused: 0 };
          return [kind, { ...none, inSource, [outcome]: inSource }];
        }),
      );
    expect([first.refusals, first.counts]).toEqual([[], counted('new')]);
    expect(dry.counts).toEqual(first.counts);

    const imported = importedOf(game, ...all);
    const { score, time, save } = otherPlayer(1, source);
    const [key] = keysOf(game, all[1] ?? '');
    const at = Date.parse('2026-07-01T11:00:00.123Z');
    expect(imported.players).toContainEqual({
      player_key: key,
      username: 'Zoë 🦊',
      created_at: at,
    });
    const scores = imported.scores.filter(({ player_key }) => player_key === key);
    expect(scores.map((one) => one.score).toSorted()).toEqual([score, time].toSorted());
    if (source !== 'playfab') expect(scores.map(({ reached_at }) => reached_at)).toEqual([at, at]);
    const state = imported.states.find((one) => one.player_key === key);
    expect(state).toMatchObject({ label, updated_at: at, version: 1, is_private: 1 });
    expect(JSON.parse(String(state?.json))).toEqual(source === 'talo' ? { class: 'mage' } : JSON.parse(save));
    expect(imported.friends).toHaveLength(2 * (count - 1));
    expect(imported.blocks).toHaveLength(hasBlocks ? countsOf(count, { hasBlocks }).blocks : 0);

    const best = await ranking(game, 'high-score');
    expect(best.map(([, value]) => value)).toEqual(best.map(([, value]) => value).toSorted((a, b) => b - a));
    if (source !== 'playfab') {
      const times = (await ranking(game, 'time-trial')).map(([, value]) => value);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }

    const again = await importFiles(game, source, files);
    expect([again.refusals, again.counts]).toEqual([[], counted('unchanged')]);
    expect(importedOf(game, ...all)).toEqual(imported);

    // The game's server vouches for the old id, and the player is there.
    const { details, isNew } = await vouch(game.id, all[1] ?? '');
    expect([isNew, details.player.username]).toEqual([false, 'Zoë 🦊']);
  });
});

describe('rows that cannot be imported', () => {
  test('are reported with file, line and reason, and leave the rest of their player and all others', async () => {
    const game = await addGame();
    const { refusals, counts } = await importLines(game, [
      { type: 'player', id: 'a', name: 'Ada' },
      'not JSON',
      { type: 'score', player: 'a', score: 'many' },
      '{"type":"score","player":"a","score":9007199254740993}',
      { type: 'score', player: 'a', score: '9007199254740993' },
      { type: 'score', player: 'a', score: 7 },
      '{"type":"state","player":"a","label":"save","state":{"id":76561198012345679}}',
      { type: 'state', player: 'a', label: 'save', state: { level: 3 } },
      { type: 'score', player: 'nobody', score: 1 },
      { type: 'friend', player: 'a', friend: 'nobody' },
      { type: 'friend', player: 'a', friend: 'a' },
      { type: 'player', id: 'a', name: 'Again' },
      { type: 'score', player: 'a', score: 8 },
      { type: 'score', player: 'a', score: 9, at: 'yesterday' },
      { type: 'guild', name: 'x' },
      { type: 'player', id: 'g', wallet: newGuestAddress() },
      { type: 'constructor' },
    ]);
    const reasons = Object.fromEntries(refusals.map(({ line, reason }) => [line, reason]));
    expect(reasons).toEqual({
      2: 'is not a JSON object',
      3: 'score: must be a number',
      4: expect.stringContaining('would be rounded'),
      5: 'score: is 9007199254740993, which would be rounded to 9007199254740992',
      7: expect.stringContaining('would be rounded'),
      9: 'the player nobody is not among the players',
      10: 'the player nobody was not imported',
      11: 'names the same player twice',
      12: 'is there twice',
      13: 'is there twice',
      14: 'at: must be a date and time, or Unix milliseconds',
      15: expect.stringContaining('type'),
      16: expect.stringContaining('is the address of a guest'),
      17: expect.stringContaining('type'),
    });
    expect(counts.players).toMatchObject({ inSource: 3, new: 1, refused: 2 });
    const { players, states } = importedOf(game, 'a');
    expect([players, states]).toMatchObject([[{ username: 'Ada' }], [{ json: '{"level":3}' }]]);
  });

  test('of CSV: a wrong number of columns, and a quote that is not closed', async () => {
    const game = await addGame();
    const file = join(directory.path, 'players.csv');
    writeFileSync(
      file,
      '\u{FEFF}id,name\r\na,"Ada ""the first"""\r\nb\r\nc,"two\r\nlines"\r\nd,"open\r\ne,Eve',
    );
    const { refusals } = await importFiles(game, 'csv', [file]);
    expect(refusals).toEqual([
      { file: 'players.csv', line: 3, reason: 'has 1 columns instead of 2' },
      { file: 'players.csv', line: 6, reason: 'has a quote that is not closed' },
    ]);
    expect(
      importedOf(game, 'a', 'c')
        .players.map(({ username }) => username)
        .toSorted(),
    ).toEqual(['Ada "the first"', 'two lines']);
  });

  test('bytes that are not UTF-8 are not guessed: their row is refused, and a file whose first row has them', async () => {
    const game = await addGame();
    const [players, scores] = ['players.csv', 'scores.csv'].map((name) => join(directory.path, name));
    const lines = join(directory.path, 'latin.ndjson');
    const latin = (text: string) => Buffer.from(text, 'latin1');
    writeFileSync(players ?? '', latin('id,name\na,Zoë\nb,"two\në"\nc,Max\n'));
    writeFileSync(
      lines,
      latin('{"type":"player","id":"d","name":"ë"}\n{"type":"player","id":"e","name":"E"}\n'),
    );
    const reason = 'is not UTF-8: save the file in this encoding';
    const csv = await importFiles(game, 'csv', [players ?? '']);
    expect(csv.refusals).toEqual([
      { file: 'players.csv', line: 2, reason },
      { file: 'players.csv', line: 3, reason },
    ]);
    expect(importedOf(game, 'a', 'b', 'c').players).toMatchObject([{ username: 'Max' }]);
    writeFileSync(scores ?? '', Buffer.from('\u{FEFF}player,score\nc,1\n', 'utf16le'));
    const inUtf16 = await importFiles(game, 'csv', [scores ?? '']);
    expect(inUtf16.refusals).toEqual([{ file: 'scores.csv', line: 1, reason }]);
    const ndjson = await importFiles(game, 'ndjson', [lines]);
    expect([ndjson.refusals, ndjson.counts.players.new]).toEqual([
      [{ file: 'latin.ndjson', line: 1, reason }],
      1,
    ]);
  });

  test('of CSV: a first row that is the whole file or names a column twice, and metadata that would be rounded', async () => {
    const game = await addGame();
    const reasonsOf = async (name: string, text: string) => {
      const file = join(directory.path, name);
      writeFileSync(file, text);
      return (await importFiles(game, 'csv', [file])).refusals.map(({ line, reason }) => [line, reason]);
    };
    expect(await reasonsOf('players.csv', 'id,name\ra,Ada\rb,Bo\r')).toEqual([
      [1, expect.stringContaining('line ends that are only a carriage return')],
    ]);
    expect(await reasonsOf('players.csv', 'id,id,name\na,b,Ada\n')).toEqual([
      [1, 'has two columns named "id"; no row of the file was read'],
    ]);
    expect(await reasonsOf('players.csv', 'id,colour\na,red\n')).toEqual([[2, 'has unknown fields: colour']]);
    expect(await reasonsOf('scores.csv', 'player,score,metadata\na,1,"{""id"":9007199254740993}"\n')).toEqual(
      [[2, expect.stringMatching(/^metadata: .*would be rounded/)]],
    );
  });

  test('a file of another format is refused once, with what it is and which command reads it', async () => {
    const game = await addGame();
    const refusalsOf = async (source: SourceName, name: string, content: string | Buffer) => {
      const file = join(directory.path, name);
      writeFileSync(file, content);
      const { refusals, counts } = await importFiles(game, source, [file]);
      expect([name, counts.players.inSource]).toEqual([name, 0]);
      return refusals.map(({ reason }) => reason);
    };
    const lines = '{"type":"player","id":"a"}\n{"type":"player","id":"b"}\n';
    const rows = 'id,name\na,Ada\nb,Bo\n';
    const withNdjson = 'NDJSON in Gantry\'s own form is imported with "gantry import-from ndjson"';
    for (const [source, name, format] of [
      ['csv', 'players.csv', 'CSV'],
      ['nakama', 'users.csv', 'CSV'],
      ['talo', 'players-1.csv', 'CSV'],
      ['playfab', 'segment.tsv', 'TSV'],
    ] as const) {
      for (const json of [lines, '[\n  {\n    "id": "a"\n  }\n]\n', '[{"type":"player","id":"a"}]'])
        expect(await refusalsOf(source, name, json)).toEqual([
          `is JSON instead of ${format}: ${withNdjson}; no row of the file was read`,
        ]);
      const separator = format === 'CSV' ? 'commas' : 'tabs';
      expect(await refusalsOf(source, name, rows.replaceAll(',', ';'))).toEqual([
        `is not ${format}: separate the columns by ${separator}; no row of the file was read`,
      ]);
      expect(await refusalsOf(source, name, Buffer.from(rows, 'utf16le'))).toEqual([
        'is not UTF-8: save the file in this encoding; no row of the file was read',
      ]);
    }
    for (const [content, reason] of [
      [rows, 'is not NDJSON: CSV in Gantry\'s own form is imported with "gantry import-from csv"'],
      ['[{"type":"player"}]', 'is a JSON array instead of NDJSON: write one object on each line'],
      [
        '{\n  "type": "player"\n}',
        'is JSON over several lines instead of NDJSON: write each object on one line',
      ],
      [Buffer.from(lines, 'utf16le'), 'is not UTF-8: save the file in this encoding'],
    ] as const)
      expect(await refusalsOf('ndjson', 'other.ndjson', content)).toEqual([
        `${reason}; no row of the file was read`,
      ]);
  });

  test('a file and a field with the name of a property of every object are not imported, like any other unknown', async () => {
    const game = await addGame();
    for (const [source, name, content] of [
      ['csv', 'constructor.csv', 'a,b\n1,2\n'],
      ['nakama', 'constructor.csv', 'a,b\n1,2\n'],
      ['talo', 'constructor.csv', 'a,b\n1,2\n'],
      ['talo', 'constructor.ndjson', '{"a":1}\n'],
    ] as const) {
      const file = join(directory.path, name);
      writeFileSync(file, content);
      const { leftOut, refusals } = await importFiles(game, source, [file]);
      expect([leftOut, refusals]).toMatchObject([
        [{ what: source === 'csv' ? name : 'constructor', count: 1 }],
        [],
      ]);
    }
    const edges = join(directory.path, 'user_edge.csv');
    writeFileSync(edges, 'source_id,destination_id,state\nu1,u2,constructor\n');
    const { leftOut } = await importFiles(game, 'nakama', [edges]);
    expect(leftOut).toMatchObject([{ what: 'friend requests', count: 1 }]);
  });

  test('a file without a column that is needed is refused once, and nothing is made up in its place', async () => {
    const game = await addGame();
    const none = 'no row of the file was read';
    for (const [source, name, content, reasons] of [
      ['csv', 'players.csv', 'name\nAda\nBo\n', [`has no column "id"; ${none}`]],
      ['nakama', 'users.csv', 'id,name\nu1,Ada\nu2,Bo\n', [`has no column "username"; ${none}`]],
      [
        'nakama',
        'storage.csv',
        'collection,key,user_id\na,b,u1\n',
        [`has no column "value", and no column "read"; ${none}`],
      ],
      [
        'talo',
        'players-1.csv',
        'id,created\np1,2026\n',
        [`has no column "createdAt", and no column "updatedAt"; ${none}`],
      ],
      ['talo', 'leaderboard.ndjson', '{"name":"laps","sort_mode":"asc"}\n', ['has no internal_name']],
      ['playfab', 'segment.tsv', 'PlayFabId\tDisplayName\nA\tAda\n', [`has no column "PlayerId"; ${none}`]],
    ] as const) {
      const file = join(directory.path, name);
      writeFileSync(file, content);
      const { refusals, leaderboards, counts } = await importFiles(game, source, [file]);
      expect([name, refusals.map(({ reason }) => reason)]).toEqual([name, reasons]);
      expect([name, leaderboards, counts.players.inSource]).toEqual([name, [], 0]);
    }
  });

  test('of NDJSON: a number beyond a double is not null, and a state that nests too deep does not end the import', async () => {
    const game = await addGame();
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const { refusals, counts } = await importLines(game, [
      { type: 'player', id: 'a', name: 'Ada' },
      '{"type":"state","player":"a","label":"large","state":{"x":1e999}}',
      `{"type":"state","player":"a","label":"deep","state":${deep}}`,
    ]);
    expect(refusals.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'has a number that is too large, such as 1e999: write it as a string'],
      [3, 'nests deeper than 32 levels'],
    ]);
    expect([counts.players.new, counts.states.new]).toEqual([1, 0]);
  });

  test('of PlayFab: a list that is no JSON, and user data without a value, are named instead of left out', async () => {
    const game = await addGame();
    const [profiles, data] = ['profiles.tsv', 'data.ndjson'].map((name) => join(directory.path, name));
    writeFileSync(profiles ?? '', 'PlayerId\tPlayerStatistics\tLinkedAccounts\nA\t[{"Name":"Wins"\t\n');
    writeFileSync(data ?? '', '{"PlayFabId":"A","Data":{"save":{}}}\n');
    const { refusals, counts } = await importFiles(game, 'playfab', [profiles ?? '', data ?? '']);
    expect(refusals.map(({ file, line, reason }) => `${file}:${line} ${reason}`)).toEqual([
      'profiles.tsv:2 PlayerStatistics: must be a list as JSON; the player is imported without it',
      'data.ndjson:1 Data.save: has no Value that is a text',
    ]);
    expect([counts.players.new, counts.states.new]).toEqual([1, 0]);
  });

  test('schedules by which no season can end are listed by a dry run too, each with its leaderboard', async () => {
    const game = await addGame();
    const lines = [
      { type: 'leaderboard', name: 'one', cron: '99 99 * * *' },
      { type: 'leaderboard', name: 'two', cron: '* * * * *' },
    ];
    const dry = await importLines(game, lines, { isDryRun: true });
    expect(dry.leftOut.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      expect.stringMatching(/^the schedule of one: .*cron expression of five fields/),
      expect.stringMatching(/^the schedule of two: .*less than an hour apart/),
    ]);
    expect((await importLines(game, lines)).leftOut).toEqual(dry.leftOut);
  });

  test('an import stops at the storage quota of the game, and continues when it is raised', async () => {
    const game = await addGame();
    const quota = (storageQuotaMegabytes: number) =>
      store.db.write(changeGame, game.id, { policies: { storageQuotaMegabytes } });
    await quota(1);
    const lines = ['a', 'b'].flatMap((player) => [
      { type: 'player', id: player },
      { type: 'state', player, label: 'save', state: 'x'.repeat(700_000) },
    ]);
    await expect(importLines(game, lines)).rejects.toMatchObject({ reason: 'storage_full' });
    await quota(10);
    expect((await importLines(game, lines)).counts.states).toMatchObject({ new: 1, unchanged: 1 });
  });

  test("in a game with whole scores, a fraction is refused, and the player's other scores are not", async () => {
    const { id } = await addGame();
    const game = { id, name: '', kind: 'game', policies: { scores: 'integer' } as GamePolicies } as Game;
    const { refusals, counts } = await importLines(game, [
      { type: 'player', id: 'a' },
      { type: 'score', player: 'a', score: 1.5 },
      { type: 'score', player: 'a', leaderboard: 'b', score: 2 },
    ]);
    expect(refusals.map(({ line }) => line)).toEqual([2]);
    expect(counts.scores).toMatchObject({ inSource: 2, new: 1, refused: 1 });
  });
});

describe('times', () => {
  test.each([
    ['2026-07-01 12:00:00.123456+02', '2026-07-01T10:00:00.123Z'],
    ['2026-07-01 12:00:00-03:30', '2026-07-01T15:30:00Z'],
    ['2026-07-01T12:00:00Z', '2026-07-01T12:00:00Z'],
    ['2026-07-01 12:00:00', '2026-07-01T12:00:00Z'],
    ['2026-07-01', '2026-07-01T00:00:00Z'],
    ['1782907200000', '2026-07-01T12:00:00Z'],
  ])('%s is %s', async (createdAt, expected) => {
    const game = await addGame();
    await importLines(game, [{ type: 'player', id: 'a', createdAt }]);
    expect(importedOf(game, 'a').players).toMatchObject([{ created_at: Date.parse(expected) }]);
  });

  test('who reached a score first stays first, and a time in the future counts as now', async () => {
    const game = await addGame();
    await importLines(game, [
      { type: 'leaderboard', name: 'board' },
      { type: 'player', id: 'a', name: 'Late' },
      { type: 'player', id: 'b', name: 'Early' },
      { type: 'player', id: 'c', name: 'Never', createdAt: '2999-01-01' },
      { type: 'score', player: 'a', leaderboard: 'board', score: 5, at: '2026-07-02' },
      { type: 'score', player: 'b', leaderboard: 'board', score: 5, at: '2026-07-01' },
      { type: 'score', player: 'c', leaderboard: 'board', score: 5, at: '2999-01-01' },
    ]);
    expect((await ranking(game, 'board')).map(([name]) => name)).toEqual(['Early', 'Late', 'Never']);
    expect(Number(importedOf(game, 'c').players[0]?.created_at)).toBeLessThanOrEqual(store.db.now());
  });
});

test('an imported score does not say that its player was here; one that was set here does', async () => {
  const game = await addGame();
  const wallet = randomWallet();
  await importLines(game, [
    { type: 'player', id: 'a', wallet },
    { type: 'score', player: 'a', score: 5 },
    { type: 'score', player: 'a', id: '2', score: 6, at: '2026-07-01' },
  ]);
  const seen = async () => (await store.db.read(readPlayerOverview, wallet))?.games;
  expect(await seen()).toEqual([{ gameId: game.id, sessions: 0, lastSeenAt: null }]);
  const { updatedAt } = await store.db.write(setScore, { gameId: game.id, wallet }, 7);
  expect(await seen()).toEqual([{ gameId: game.id, sessions: 0, lastSeenAt: Number(updatedAt) }]);
});

describe('what players have changed here since', () => {
  const lines = (score: number, level: number, at: string) => [
    { type: 'player', id: 'a', name: 'Ada' },
    { type: 'player', id: 'b', name: 'Ben' },
    { type: 'score', player: 'a', leaderboard: 'board', score },
    { type: 'state', player: 'a', label: 'save', state: { level }, at },
    { type: 'friend', player: 'a', friend: 'b' },
  ];

  test('is kept by another run; what is more recent in the source is updated', async () => {
    const game = await addGame();
    await importLines(game, lines(1, 1, '2026-07-01'));
    expect((await importLines(game, lines(2, 2, '2026-07-02'))).counts).toMatchObject({
      players: { unchanged: 2 },
      scores: { updated: 1 },
      states: { updated: 1 },
    });
    const { wallet } = (await vouch(game.id, 'a')).details.player;
    const other = (await vouch(game.id, 'b')).details.player.wallet;
    const { json, ipfsHash } = readState('{"level":9}');
    await store.db.write(saveState, { gameId: game.id, wallet }, 'save', json, ipfsHash);
    await store.db.write(removeFriend, wallet, other);
    expect((await importLines(game, lines(2, 3, '2026-07-03'))).counts).toMatchObject({
      scores: { unchanged: 1 },
      states: { kept: 1 },
      friends: { kept: 1 },
    });
    expect(importedOf(game, 'a').states).toMatchObject([{ json: '{"level":9}' }]);
  });

  test('a score of a season that has ended here is not set in the next one', async () => {
    const game = await addGame();
    await importLines(game, lines(1, 1, '2026-07-01'));
    await store.db.write(endSeason, game.id, 'board');
    const { refusals } = await importLines(game, lines(1, 1, '2026-07-01'));
    expect(refusals).toMatchObject([
      { line: 3, reason: 'the season that the score belongs to has ended here' },
    ]);
    expect(await ranking(game, 'board')).toEqual([]);
  });
});

test('what is imported or updated calls no webhooks, of the game or a launcher; what players do then does', async () => {
  const game = await addGame();
  const launcher = { name: 'Launcher', slug: `game-${++games}`, kind: 'launcher' } as const;
  const { id: launcherId } = await store.db.write(registerGame, launcher, sealedSecret());
  for (const gameId of [game.id, launcherId]) {
    const webhook = { gameId, url: 'https://example.com/', filter: 'all', sealedSecret: '' } as const;
    await store.db.write(addWebhook, webhook);
  }
  const called = async () => {
    const ofGames = [game.id, launcherId].map((gameId) => store.db.read(readActions, { gameId }, wholePage));
    return (await Promise.all(ofGames)).flatMap(({ rows }) => rows.map(({ type }) => type));
  };
  const lines = (score: number) => [
    { type: 'player', id: 'a', name: 'Ada' },
    { type: 'player', id: 'b', name: 'Ben' },
    { type: 'score', player: 'a', score },
    { type: 'score', player: 'a', leaderboard: 'board', score },
    { type: 'friend', player: 'a', friend: 'b' },
  ];
  await importLines(game, lines(1));
  expect((await importLines(game, lines(2))).counts.scores).toMatchObject({ updated: 2 });
  expect(await called()).toEqual([]);
  const { wallet } = (await vouch(game.id, 'a')).details.player;
  await store.db.write(setScore, { gameId: game.id, wallet }, 3);
  await store.db.write(removeFriend, wallet, (await vouch(game.id, 'b')).details.player.wallet);
  expect((await called()).toSorted()).toEqual(['friends.removed', 'friends.removed', 'scores.created']);
});

describe('names', () => {
  test('are kept in any script, may be those of several players, and are cleaned and cut as Gantry requires', async () => {
    const game = await addGame();
    const names = [
      'Ada',
      'Ada',
      '王小明',
      'مريم',
      'Zoë 🦊',
      'a\u202Eb\u0000c',
      `${'🦊'.repeat(50)}`,
      '\u200B',
    ];
    const { leftOut } = await importLines(
      game,
      names.map((name, index) => ({ type: 'player', id: String(index), name })),
    );
    const { players } = importedOf(game, ...names.keys().map(String));
    expect(players.map(({ username }) => username).toSorted()).toEqual(
      ['Ada', 'Ada', '王小明', 'مريم', 'Zoë 🦊', 'abc', '🦊'.repeat(40), ''].toSorted(),
    );
    expect(leftOut).toEqual([{ what: 'ends of names', count: 1, why: 'names have at most 40 characters' }]);
  });

  test('a name that the player has here stays', async () => {
    const game = await addGame();
    await importLines(game, [{ type: 'player', id: 'a', name: 'First' }]);
    await importLines(game, [{ type: 'player', id: 'a', name: 'Second' }]);
    expect(importedOf(game, 'a').players).toMatchObject([{ username: 'First' }]);
  });
});

describe('who a player becomes', () => {
  const users = (rows: readonly string[]) => {
    const file = join(directory.path, 'users.csv');
    writeFileSync(file, `${['id,username,steam_id,custom_id,email,password', ...rows].join('\n')}\n`);
    return [file];
  };

  test('with --login, the guest that the server vouches for by that login; without it there, by id', async () => {
    const game = await addGame();
    const files = users(['u1,ada,7656,,ada@example.com,secret', 'u2,ben,,,,']);
    const { leftOut } = await importFiles(game, 'nakama', files, { login: 'steam' });
    const { players } = importedOf(game, 'steam:7656', 'nakama:u2', 'nakama:u1');
    expect(players.map(({ username }) => username).toSorted()).toEqual(['ada', 'ben']);
    expect(leftOut).toMatchObject([{ what: 'e-mail addresses and passwords', count: 1 }]);
    expect(importedIn(database, keysOf(game, 'nakama:u1')).players).toEqual([]);
  });

  test('with --login wallet, or the field wallet, the player of that wallet, whose name stays', async () => {
    const game = await addGame();
    const [wallet, other] = [randomWallet(), randomWallet()];
    const files = users([`u1,ada,,${wallet.toUpperCase().replace('0X', '0x')},,`, 'u2,ben,,no-wallet,,']);
    await importFiles(game, 'nakama', files, { login: 'wallet' });
    await importLines(game, [
      { type: 'player', id: 'x', name: 'Xi', wallet: other },
      { type: 'player', id: 'y', name: 'Yu', wallet },
      { type: 'score', player: 'y', leaderboard: 'board', score: 4 },
      { type: 'score', player: 'x', leaderboard: 'board', score: 3 },
      { type: 'friend', player: 'x', friend: 'y' },
    ]);
    expect(await ranking(game, 'board')).toEqual([
      ['ada', 4],
      ['Xi', 3],
    ]);
    const { counts } = await importLines(game, [
      { type: 'player', id: 'x', wallet: other },
      { type: 'player', id: 'y', wallet },
      { type: 'friend', player: 'y', friend: 'x' },
    ]);
    expect(counts.friends).toMatchObject({ unchanged: 1 });
  });

  test('two players with one wallet or login are refused but for the first', async () => {
    const game = await addGame();
    const files = users(['u1,ada,7656,,,', 'u2,ben,7656,,,']);
    const { refusals } = await importFiles(game, 'nakama', files, { login: 'steam' });
    expect(refusals).toMatchObject([{ line: 3, reason: expect.stringContaining('the same player as u1') }]);
  });
});

describe('leaderboards', () => {
  test('that exist keep their rules, others are created; names are made valid, and must not become the same', async () => {
    const game = await addGame();
    await store.db.write(addLeaderboard, game.id, {
      ...{ name: 'laps', keep: 'best', order: 'asc', entries: 'player', public: true },
      ...{ labels: [], schedule: null, keepSeasons: null },
    });
    const { leaderboards, refusals } = await importLines(game, [
      { type: 'leaderboard', name: 'Laps', order: 'desc' },
      { type: 'leaderboard', name: 'Weekly Cup!', keep: 'sum', cron: '0 0 * * 1' },
      { type: 'leaderboard', name: '***' },
      { type: 'player', id: 'a' },
      { type: 'score', player: 'a', leaderboard: 'Laps', score: 61.5 },
      { type: 'score', player: 'a', leaderboard: 'weekly cup', score: 1 },
    ]);
    expect(leaderboards).toMatchObject([
      {
        ...{ source: 'Laps', leaderboard: 'laps', order: 'asc', exists: true, scores: 1 },
        insteadOf: { keep: 'best', order: 'desc', entries: 'player' },
      },
      { source: 'Weekly Cup!', leaderboard: 'weekly-cup', keep: 'sum', exists: false, scores: 0 },
    ]);
    expect(refusals.map(({ line }) => line)).toEqual([3, 6]);
    expect(await ranking(game, 'laps')).toEqual([[expect.any(String), 61.5]]);
    expect(await ranking(game, 'weekly-cup')).toEqual([]);
  });

  test('that exist are reported with the rules that the files give them, also the default one', async () => {
    const game = await addGame();
    const declared = (order: string) =>
      importLines(game, [
        { type: 'leaderboard', name: 'default', order },
        { type: 'leaderboard', name: 'laps', order: 'asc' },
        { type: 'player', id: 'a' },
        { type: 'score', player: 'a', score: 1 },
        { type: 'score', player: 'a', leaderboard: 'laps', score: 1 },
      ]);
    const rules = { keep: 'best', entries: 'player' };
    expect((await declared('asc')).leaderboards).toMatchObject([
      { leaderboard: 'default', ...rules, order: 'desc', insteadOf: { ...rules, order: 'asc' } },
      { leaderboard: 'laps', exists: false },
    ]);
    const { leaderboards } = await declared('desc');
    expect(leaderboards).toMatchObject([
      { leaderboard: 'default' },
      { leaderboard: 'laps', ...rules, order: 'asc', exists: true },
    ]);
    expect(leaderboards.filter(({ insteadOf }) => insteadOf)).toEqual([]);
    const { leaderboards: unsaid } = await importLines(game, [
      { type: 'player', id: 'a' },
      { type: 'score', player: 'a', leaderboard: 'laps', score: 1 },
    ]);
    expect(unsaid.map(({ order, insteadOf }) => [order, insteadOf])).toEqual([['asc', undefined]]);
  });

  test('list every score of a player if the files say so', async () => {
    const game = await addGame();
    await importLines(game, [
      { type: 'leaderboard', name: 'rounds', entries: 'all' },
      { type: 'player', id: 'a', name: 'Ada' },
      { type: 'score', player: 'a', leaderboard: 'rounds', id: '1', score: 5 },
      { type: 'score', player: 'a', leaderboard: 'rounds', id: '2', score: 7 },
    ]);
    expect(await ranking(game, 'rounds')).toEqual([
      ['Ada', 7],
      ['Ada', 5],
    ]);
  });

  test('beyond those that a game can have are refused with their scores, as the dry run says', async () => {
    const game = await addGame();
    await importLines(game, [
      { type: 'player', id: 'a' },
      { type: 'score', player: 'a', leaderboard: 'first', score: 1 },
    ]);
    const names = Array.from({ length: maxLeaderboards }, (_, index) => `level-${index}`);
    const lines = [
      { type: 'player', id: 'a' },
      { type: 'score', player: 'a', leaderboard: 'first', score: 1 },
      ...names.map((name) => ({ type: 'leaderboard', name })),
      ...names.map((leaderboard) => ({ type: 'score', player: 'a', leaderboard, score: 1 })),
    ];
    const dry = await importLines(game, lines, { isDryRun: true });
    const { counts, refusals } = await importLines(game, lines);
    expect(dry.counts).toEqual(counts);
    expect(dry.refusals).toHaveLength(refusals.length);
    expect(counts.scores).toMatchObject({ new: maxLeaderboards - 1, unchanged: 1, refused: 1 });
    const reason = 'a game has at most 100 leaderboards, so level-99 is not imported';
    expect(refusals.map((one) => one.reason)).toEqual([reason, reason]);
  });

  test('of Nakama: records of ended periods, friend requests, and what only its server reads are left out', async () => {
    const game = await addGame();
    const files = Object.entries({
      users: ['id,username', 'u1,ada', 'u2,ben'],
      leaderboard: ['id,sort_order,operator,reset_schedule', 'weekly,1,2,0 0 * * 1'],
      leaderboard_record: [
        'leaderboard_id,owner_id,score,subscore,metadata,update_time,expiry_time',
        'weekly,u1,5,0,{},2026-07-01 00:00:00+00,2026-07-06 00:00:00+00',
        'weekly,u1,6,3,"{""hero"": ""fox""}",2999-07-01 00:00:00+00,2999-07-06 00:00:00+00',
      ],
      storage: [
        'collection,key,user_id,value,read,write,update_time',
        'a,b,u1,{},0,0,2026-07-01 00:00:00+00',
        'a,c,u1,{},2,0,2026-07-01 00:00:00+00',
        'a,d,00000000-0000-0000-0000-000000000000,{},2,1,2026-07-01 00:00:00+00',
      ],
      user_edge: ['source_id,destination_id,state', 'u1,u2,1', 'u2,u1,2'],
      groups: ['id,name', 'g1,Guild'],
    }).map(([table, lines]) => {
      const file = join(directory.path, `${table}.csv`);
      writeFileSync(file, lines.join('\n'));
      return file;
    });
    const { leftOut, refusals, leaderboards } = await importFiles(game, 'nakama', files);
    expect(refusals).toEqual([]);
    expect(leaderboards).toMatchObject([{ keep: 'sum', cron: '0 0 * * 1', scores: 1 }]);
    expect(leftOut.map(({ what, count }) => [what, count])).toEqual([
      ['records of ended periods', 1],
      ['storage that only the server reads', 1],
      ['write permissions', 1],
      ['storage of the system user', 1],
      ['friend requests', 2],
      ['groups', 1],
    ]);
    const { scores, states } = importedOf(game, 'nakama:u1');
    expect(scores).toMatchObject([{ score: 6, metadata: '{"hero":"fox","subscore":"3"}' }]);
    expect(states).toMatchObject([{ label: 'a/c', is_private: null }]);
  });
});

describe('what an export says in its own way', () => {
  const written = (files: Readonly<Record<string, readonly (string | object)[]>>) =>
    Object.entries(files).map(([name, lines]) => {
      const file = join(directory.path, name);
      writeFileSync(
        file,
        lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
      );
      return file;
    });

  test('of Talo: saves and stats are states; entries of ended periods, followers and e-mail addresses are left out', async () => {
    const game = await addGame();
    const now = new Date(store.db.now()).toISOString();
    const files = written({
      'players-1.csv': ['id,createdAt,updatedAt', `p1,${now},${now}`, `p2,${now},${now}`],
      'playerAliases-1.csv': [
        'id,service,identifier,player.id',
        '1,username,Ada,p1',
        '2,email,b@example.com,p2',
      ],
      'leaderboardEntries-1.csv': [
        'id,score,leaderboard.internalName,playerAlias.player.id,createdAt,updatedAt,props.car',
        `7,5,laps,p1,2020-01-01T00:00:00.000Z,2020-01-01T00:00:00.000Z,`,
        `8,6.5,laps,p1,${now},${now},"red, fast"`,
      ],
      'playerGameStats-1.csv': ['player.id,value,stat.internalName,updatedAt', `p1,3,deaths,${now}`],
      'leaderboard.ndjson': [
        { internal_name: 'laps', sort_mode: 'asc', unique: 0, refresh_interval: 'weekly' },
        { internal_name: 'once', sort_mode: 'desc', unique: 1, refresh_interval: 'never' },
      ],
      'game_save.ndjson': [
        {
          id: 4,
          name: 'slot',
          content: { at: 1 },
          player_id: 'p1',
          updated_at: '2026-07-01 10:00:00.000000',
        },
      ],
      'player_alias_subscription.ndjson': [
        { subscriber_id: 1, subscribed_to_id: 2, confirmed: 0, relationship_type: 'bidirectional' },
        { subscriber_id: 2, subscribed_to_id: 1, confirmed: 1, relationship_type: 'unidirectional' },
      ],
    });
    const { leaderboards, leftOut, refusals } = await importFiles(game, 'talo', files);
    expect(refusals).toEqual([]);
    expect(leaderboards).toMatchObject([
      { leaderboard: 'laps', order: 'asc', entries: 'all', cron: '0 0 * * 1', scores: 1 },
      { leaderboard: 'once', order: 'desc', entries: 'player' },
    ]);
    expect(leftOut.map(({ what, count }) => [what, count]).toSorted()).toEqual([
      ['e-mail addresses', 1],
      ['entries of ended periods', 1],
      ['followers', 1],
      ['friend requests', 1],
    ]);
    const { players, scores, states } = importedOf(game, 'talo:p1');
    expect([players, scores]).toMatchObject([
      [{ username: 'Ada' }],
      [{ score: 6.5, metadata: '{"car":"red, fast"}' }],
    ]);
    expect(states.map(({ label, json }) => [label, json])).toEqual([
      ['saves/slot/4', '{"at":1}'],
      ['stats/deaths', '3'],
    ]);
  });

  test('of PlayFab: pages of profiles; JSON in player data becomes a state, other text stays text', async () => {
    const game = await addGame();
    const profile = {
      PlayerId: 'A1',
      DisplayName: 'Ada',
      BannedUntil: '2999-01-01T00:00:00Z',
      LinkedAccounts: [],
    };
    const value = (text: string, permission: string) => ({ Value: text, Permission: permission });
    const files = written({
      'pages.ndjson': [
        { code: 200, data: { PlayerProfiles: [profile] } },
        {
          PlayFabId: 'A1',
          data: { Data: { bag: value('{"gold":2}', 'Public'), level: value('12', 'Private') } },
        },
        { code: 400, error: 'AccountNotFound' },
      ],
      'notes.txt': ['hello'],
    });
    const { leftOut, refusals } = await importFiles(game, 'playfab', files);
    expect(refusals).toEqual([
      { file: 'pages.ndjson', line: 3, reason: 'is no player profile, user data or list of friends' },
    ]);
    expect(leftOut.map(({ what }) => what)).toEqual(['bans', 'notes.txt']);
    expect(importedOf(game, 'playfab:A1').states).toMatchObject([
      { label: 'bag', json: '{"gold":2}', is_private: null },
      { label: 'level', json: '"12"', is_private: 1 },
    ]);
  });
});
