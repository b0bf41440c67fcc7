import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { SocketLoad } from '../load.ts';
import { scoresInTurn } from '../score-writes.ts';
import { type ServerProcess, startGantry, startPeer } from '../server-process.ts';
import { compareThroughput } from '../throughput.ts';
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
      const round = async (server: ServerProcess) => {
        await load.connect(server, tokens);
        const rate = await load.calls({ seconds, method: 'setUserScore', data });
        await load.disconnect();
        return rate;
      };
      const figure = { name: 'socket', variant: `${count} sockets`, unit: 'calls/s', aim: '≥ 0.5' };
      const sides = { ours: () => round(ours), against: () => round(echo) };
      rows.push(await compareThroughput(figure, sides, settings));
    }
    return rows;
  },
};
