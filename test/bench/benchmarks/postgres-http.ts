import { PostgresServer } from '../../support/postgres-server.ts';
import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { jsonPost } from '../json-post.ts';
import { leaderboardRead } from '../leaderboard-read.ts';
import { HttpLoad } from '../load.ts';
import type { HttpRequest } from '../loads/jobs.ts';
import { type ProcessUse, useOf, useOfAll } from '../process-use.ts';
import { type Figure, interleave, toRow } from '../rounds.ts';
import { scoreWrites } from '../score-writes.ts';
import { startGantry } from '../server-process.ts';
import { stateOfBytes } from '../state-of-bytes.ts';
import { makeWorld, type World, type WorldPlayer } from '../world.ts';

const connections = 128;

/** What one round has measured of one side. */
interface Round {
  perSecond: number;
  /** Of processors a request, in microseconds: Gantry's, and PostgreSQL's where there is one. */
  gantryMicroseconds: number;
  postgresMicroseconds: number;
}

/** What is asked for, by name; each player's requests, again and again. */
const loads: Record<string, (player: WorldPlayer) => HttpRequest[]> = {
  'scores, 128 connections': (player) => scoreWrites(player, '/launcher/set-user-score'),
  'a mixed load, 128 connections': mixed,
};

/** Four scores, a state, two heartbeats, a custom activity and two reads of what was written. */
function mixed({ launcherJwt, gameId }: WorldPlayer): HttpRequest[] {
  const post = (path: string, input: object = {}) => jsonPost(`/${path}`, { launcherJwt, ...input });
  const scores = [310, 620, 155, 1240].map((score) => post('launcher/set-user-score', { score }));
  return [
    ...scores,
    post('launcher/set-state', { label: 'save', state: stateOfBytes(1024) }),
    post('launcher/channel-heartbeat'),
    post('launcher/get-user-scores'),
    post('launcher/channel-heartbeat'),
    post('launcher/send-custom-activity', { label: '{username} found a key', eventId: 'key' }),
    leaderboardRead(gameId),
  ];
}

export const postgresHttp: Benchmark = {
  name: 'postgres-http',
  aliases: ['postgres'],
  summary: 'the same over HTTP, and a mixed load, against SQLite in the same run; processor time a request',
  async run(settings) {
    await using database = await PostgresServer.start({ fsync: true });
    const variables = { DATABASE_URL: database.url('postgres'), GANTRY_SECRET_KEY: 'b5'.repeat(32) };
    await using onPostgres = await makeWorld(connections, undefined, variables);
    await using onSqlite = await makeWorld(connections);
    await using ours = await startGantry(onPostgres, settings);
    await using against = await startGantry(onSqlite, settings);
    await using load = new HttpLoad();
    const seconds = roundSeconds(settings, Object.keys(loads).length);
    const measure = async (url: string, scripts: HttpRequest[][], use: () => Uses): Promise<Round> => {
      const before = use();
      const perSecond = await load.requestsPerSecond({ url, connections, seconds, scripts });
      const after = use();
      const each = (of: keyof Uses) =>
        (((after[of]?.cpuSeconds ?? Number.NaN) - (before[of]?.cpuSeconds ?? Number.NaN)) * 1e6) /
        (perSecond * seconds);
      return { perSecond, gantryMicroseconds: each('gantry'), postgresMicroseconds: each('postgres') };
    };
    const rows: Row[] = [];
    for (const [variant, requestsOf] of Object.entries(loads)) {
      const scriptsOf = ({ players }: World) => players.map(requestsOf);
      const taken = await interleave<Round>(
        { name: 'postgres', variant },
        {
          ours: () =>
            measure(ours.url, scriptsOf(onPostgres), () => ({
              gantry: useOf(ours.child.pid),
              postgres: useOfAll(database.pid ?? Number.NaN),
            })),
          against: () =>
            measure(against.url, scriptsOf(onSqlite), () => ({
              gantry: useOf(against.child.pid),
              postgres: null,
            })),
        },
        settings,
      );
      const compared = (figure: Omit<Figure, 'name'>, [one, other]: [keyof Round, keyof Round]) =>
        toRow(
          { name: 'postgres', ...figure },
          taken.ours.map((round) => round[one]),
          (other === 'postgresMicroseconds' ? taken.ours : taken.against).map((round) => round[other]),
        );
      const unit = 'µs of CPU';
      rows.push(
        compared({ variant: `${variant}, of SQLite`, unit: 'requests/s', aim: '≥ 0.8' }, [
          'perSecond',
          'perSecond',
        ]),
        compared({ variant: `${variant}, in Gantry, of SQLite`, unit, aim: '' }, [
          'gantryMicroseconds',
          'gantryMicroseconds',
        ]),
        compared({ variant: `${variant}, in Gantry, of PostgreSQL's`, unit, aim: '' }, [
          'gantryMicroseconds',
          'postgresMicroseconds',
        ]),
      );
    }
    return rows;
  },
};

interface Uses {
  gantry: ProcessUse | null;
  postgres: ProcessUse | null;
}
