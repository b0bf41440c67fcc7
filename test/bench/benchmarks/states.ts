import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { jsonPost } from '../json-post.ts';
import { HttpLoad } from '../load.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { stateOfBytes } from '../state-of-bytes.ts';
import { compareThroughput } from '../throughput.ts';
import { makeWorld } from '../world.ts';

/** The larger a state, the fewer per second, and the longer it takes to count enough of them. */
const sizes = [
  { variant: '1 KB', bytes: 1024, connections: 32, shareOfTime: 0.2 },
  { variant: '100 KB', bytes: 100 * 1024, connections: 8, shareOfTime: 0.3 },
  { variant: '1 MB', bytes: 1024 * 1024, connections: 4, shareOfTime: 0.5 },
];

export const states: Benchmark = {
  name: 'states',
  summary: 'set-state of 1 KB, 100 KB and 1 MB over HTTP, against bare Express receiving the same',
  async run(settings) {
    await using world = await makeWorld(Math.max(...sizes.map((size) => size.connections)));
    await using ours = await startGantry(world, settings);
    await using receive = await startPeer('express-receive');
    await using load = new HttpLoad();
    const rows: Row[] = [];
    for (const { variant, bytes, connections, shareOfTime } of sizes) {
      const state = stateOfBytes(bytes);
      const scriptsFor = (path: string) =>
        world.players
          .slice(0, connections)
          .map(({ launcherJwt }) => [jsonPost(path, { launcherJwt, label: variant, state })]);
      const [ourScripts, theirScripts] = [scriptsFor('/launcher/set-state'), scriptsFor('/receive')];
      const job = { connections, seconds: roundSeconds(settings, 1) * shareOfTime };
      const sides = {
        ours: () => load.requests(ours, { ...job, scripts: ourScripts }),
        against: () => load.requests(receive, { ...job, scripts: theirScripts }),
      };
      const figure = { name: 'states', variant, unit: 'requests/s', aim: '≥ 0.7' };
      rows.push(await compareThroughput(figure, sides, settings));
    }
    return rows;
  },
};
