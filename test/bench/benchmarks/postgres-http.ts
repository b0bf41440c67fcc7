import type { PostgresServer } from '../../support/postgres-server.ts';
import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { HttpLoad } from '../load.ts';
import type { HttpRequest } from '../loads/jobs.ts';
import { mixedRequests } from '../mixed-requests.ts';
import { useOfAll } from '../process-use.ts';
import { interleave, toRow } from '../rounds.ts';
import { scoreWrites } from '../score-writes.ts';
import { type ServerProcess, startGantry } from '../server-process.ts';
import { startPostgres } from '../start-postgres.ts';
import { type Throughput, throughputRow } from '../throughput.ts';
import { makeWorld, type World, type WorldPlayer } from '../world.ts';

const connections = 128;

/** One round's measurements of one side. */
interface Round extends Throughput {
  /** CPU time of PostgreSQL's processes per request, in microseconds. */
  postgresMicroseconds: number;
}

/** The scripts, by name; each player's requests, repeated. */
const loads: Record<string, (player: WorldPlayer) => HttpRequest[]> = {
  'scores, 128 connections': (player) => scoreWrites(player, '/launcher/set-user-score'),
  'a mixed load, 128 connections': mixedRequests,
};

export const postgresHttp: Benchmark = {
  name: 'postgres-http',
  aliases: ['postgres'],
  summary: 'the same over HTTP, and a mixed load, against SQLite in the same run; processor time a request',
  async run(settings) {
    await using database = await startPostgres();
    const variables = { DATABASE_URL: database.url('postgres'), GANTRY_SECRET_KEY: 'b5'.repeat(32) };
    await using onPostgres = await makeWorld(connections, undefined, variables);
    await using onSqlite = await makeWorld(connections);
    await using ours = await startGantry(onPostgres, settings);
    await using against = await startGantry(onSqlite, settings);
    await using load = new HttpLoad();
    const seconds = roundSeconds(settings, Object.keys(loads).length);
    const rows: Row[] = [];
    for (const [variant, requestsOf] of Object.entries(loads)) {
      const requests = (server: ServerProcess, { players }: World) =>
        load.requests(server, { connections, seconds, scripts: players.map(requestsOf) });
      const taken = await interleave<Round>(
        { name: 'postgres', variant },
        {
          async ours() {
            const before = cpuSecondsOf(database);
            const done = await requests(ours, onPostgres);
            const postgresMicroseconds = ((cpuSecondsOf(database) - before) * 1e6) / done.count;
            return { ...done, postgresMicroseconds };
          },
          against: async () => ({
            ...(await requests(against, onSqlite)),
            postgresMicroseconds: 0,
          }),
        },
        settings,
      );
      const ofEach = (each: (round: Round) => number) =>
        [taken.ours.map(each), taken.against.map(each)] as const;
      rows.push(
        throughputRow(
          { name: 'postgres', variant: `${variant}, of SQLite`, unit: 'requests/s', aim: '≥ 0.8' },
          taken.ours,
          taken.against,
        ),
        toRow(
          {
            name: 'postgres',
            variant: `${variant}, with PostgreSQL's, of SQLite`,
            unit: 'µs of CPU',
            aim: '',
          },
          ...ofEach((round) => round.cpuMicroseconds + round.postgresMicroseconds),
        ),
      );
    }
    return rows;
  },
};

/** CPU time of PostgreSQL's processes so far; NaN where the system does not report it. */
function cpuSecondsOf({ pid }: PostgresServer): number {
  return (pid === undefined ? null : useOfAll(pid))?.cpuSeconds ?? Number.NaN;
}
