import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { post } from '../support/http.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry } from '../support/warm-gantry.ts';
import { createWorld } from '../support/world.ts';

const secretKey = '5e'.repeat(32);

/**
 * A game's file, sorted, without where its streams continue, which is later on every server. Sessions are not exported, nor are players who have nothing else: they are listed separately.
 */
function recordsOf(file: string): { records: string[]; players: string[] } {
  const withoutSeq = (line: string) =>
    line.startsWith('{"type":"streams"') ? line.replace(/"seq":\d+/, '') : line;
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1, -1).map(withoutSeq).sort();
  const isPlayer = (line: string) => line.startsWith('{"type":"players"');
  return { records: lines.filter((line) => !isPlayer(line)), players: lines.filter(isPlayer) };
}

test.skipIf(noPostgres !== null)(
  'a game moves from SQLite to PostgreSQL and back by export and import, unchanged',
  async () => {
    await using directory = await temporaryDirectory();
    await using database = await freshDatabase();
    const place = (name: string) => join(directory.path, name);
    const publicUrl = { PUBLIC_URL: 'https://play.example' };
    const onSqlite = (name: string) => ({ DATA_DIR: place(name), DATABASE_URL: '', GANTRY_SECRET_KEY: '' });
    const onPostgres = {
      DATA_DIR: place('none'),
      DATABASE_URL: database.url,
      GANTRY_SECRET_KEY: secretKey,
    };
    const run = async (args: string[], env: Record<string, string>) => {
      const { code, stderr, stdout } = await gantry([...args, '--json'], { env });
      expect([args, code, stderr.replaceAll(/^(.* \d+ %|There is no data in .*)\n/gm, '')]).toEqual([
        args,
        0,
        '',
      ]);
      return z.looseObject({}).parse(JSON.parse(stdout));
    };
    const boardOn = async (env: Record<string, string>) => {
      await using server = await startTestServer({ ...env, ...publicUrl });
      return (await post(`${server.url}/launcher/get-game-scores-leaderboard`, { gameId })).body;
    };

    const server = await startTestServer({ ...onSqlite('one'), ...publicUrl });
    const { gameId, owner, participant, stranger, channelId } = await createWorld(server);
    const call = (player: { launcherJwt: string }, path: string, input: object) =>
      post(`${server.url}/launcher/${path}`, { launcherJwt: player.launcherJwt, ...input });
    for (let n = 0; n < 20; n++) await call(owner, 'set-user-score', { score: n, nonce: `n-${n}` });
    await call(participant, 'set-user-score', { score: 1e300 });
    await call(stranger, 'set-user-score', { score: -0.1 });
    await call(participant, 'send-channel-message', {
      channelId,
      content: 'nothing \0 and \uffff0 é \u2028',
    });
    // More than an import buffers before it writes.
    const { db } = server.services;
    await Promise.all(
      Array.from({ length: 5_100 }, (_, n) =>
        db.write(recordActivity, owner, { label: `won ${n}`, eventId: 'win' }),
      ),
    );
    await server.close();

    await run(['export', gameId, place('first'), '--secrets'], onSqlite('one'));
    expect(await run(['import', place('first')], onPostgres)).toMatchObject({ gameId });
    expect(await boardOn(onPostgres)).toEqual(await boardOn(onSqlite('one')));
    await run(['export', gameId, place('second'), '--secrets'], onPostgres);
    const first = recordsOf(place('first'));
    const second = recordsOf(place('second'));
    expect(second.records).toEqual(first.records);
    expect(first.players).toEqual(expect.arrayContaining(second.players));
    expect(await run(['import', place('second')], onSqlite('two'))).toMatchObject({ gameId });
    await run(['export', gameId, place('third'), '--secrets'], onSqlite('two'));
    expect(recordsOf(place('third'))).toEqual(second);
    expect(first.records.length).toBeGreaterThan(5_100);
  },
);
