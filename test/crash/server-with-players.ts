import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/server/server.ts';
import { addPlayers } from './players.ts';

/**
 * A server that creates a game and pairs of players, prints them as a line of JSON, and stops on request:
 * `server-with-players.ts <pairs>`. Settings are environment variables, as for `gantry serve`.
 */
const [, , pairs] = process.argv;
const server = await startServer(readConfig(), pino({ level: 'silent' }));
process.once('SIGTERM', () => server.close());
const players = await addPlayers({ ...server.services, box: server.box }, Number(pairs));
process.stdout.write(`${JSON.stringify({ url: server.url, pid: process.pid, players })}\n`);
