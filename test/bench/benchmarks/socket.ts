import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { SocketLoad } from '../load.ts';
import { compare } from '../rounds.ts';
import { scoresInTurn } from '../score-writes.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const socketCounts = [32, 128];

/** Ours sends twice what the echo does: the ack, and `scores created` to the player's launcher. */
export const socket: Benchmark = {
  name: 'socket',
  summary: 'durable setUserScore over the socket, against a bare Socket.IO ack echo',
  async run(settings) {
    await using world = await makeWorld(Math.max(...socketCounts));
    await using ours = await startGantry(world, settings);
    await using echo = await startPeer('socketio-echo');
    await using load = new SocketLoad();
    const data = scoresInTurn.map((score) => ({ score }));
    const seconds = roundSeconds(settings, socketCounts.length);
    const rows: Row[] = [];
    for (const count of socketCounts) {
      const tokens = world.players.slice(0, count).map((player) => player.launcherJwt);
      const round = async (url: string) => {
        await load.connect(url, tokens);
        const rate = await load.callsPerSecond({ seconds, method: 'setUserScore', data });
        await load.disconnect();
        return rate;
      };
      const figure = { name: 'socket', variant: `${count} sockets`, unit: 'calls/s', aim: '≥ 0.5' };
      const sides = { ours: () => round(ours.url), against: () => round(echo.url) };
      rows.push(await compare(figure, sides, settings));
    }
    return rows;
  },
};
