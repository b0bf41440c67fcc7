import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { HttpLoad } from '../load.ts';
import { scoreWrites } from '../score-writes.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { compareThroughput } from '../throughput.ts';
import { makeWorld } from '../world.ts';

const connectionCounts = [32, 128];

export const scores: Benchmark = {
  name: 'scores',
  summary: 'durable set-user-score over HTTP, against a bare Express JSON echo',
  async run(settings) {
    await using world = await makeWorld(Math.max(...connectionCounts));
    await using ours = await startGantry(world, settings);
    await using echo = await startPeer('express-echo');
    await using load = new HttpLoad();
    const seconds = roundSeconds(settings, connectionCounts.length);
    const scriptsFor = (path: string) => world.players.map((player) => scoreWrites(player, path));
    const [ourScripts, echoScripts] = [scriptsFor('/launcher/set-user-score'), scriptsFor('/echo')];
    const rows: Row[] = [];
    for (const connections of connectionCounts) {
      const figure = {
        name: 'scores',
        variant: `${connections} connections`,
        unit: 'requests/s',
        aim: '≥ 0.8',
      };
      const sides = {
        ours: () => load.requests(ours, { connections, seconds, scripts: ourScripts }),
        against: () => load.requests(echo, { connections, seconds, scripts: echoScripts }),
      };
      rows.push(await compareThroughput(figure, sides, settings));
    }
    return rows;
  },
};
