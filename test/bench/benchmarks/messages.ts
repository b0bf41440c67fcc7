import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { SocketLoad } from '../load.ts';
import { interleave, quantile, toRow } from '../rounds.ts';
import { type ServerProcess, startGantry, startPeer } from '../server-process.ts';
import { throughputRow } from '../throughput.ts';
import { makeWorld } from '../world.ts';

const participantCounts = [100, 10, 2];
/** Messages in flight at a time, from all senders. */
const inFlight = 16;

export const messages: Benchmark = {
  name: 'messages',
  aliases: ['fanout'],
  summary: 'messages sent, kept and delivered to 100, 10 and 2 launchers, against a bare Socket.IO room',
  async run(settings) {
    const channelIds = new Map<number, string>();
    await using world = await makeWorld(Math.max(...participantCounts), async (db, { players }) => {
      for (const count of participantCounts) {
        const [creator, ...others] = players.slice(0, count);
        if (!creator) throw new Error('a channel without members');
        const wallets = others.map(({ wallet }) => wallet);
        channelIds.set(count, (await db.write(createChannel, creator, wallets))._id);
      }
    });
    await using ours = await startGantry(world, settings);
    await using room = await startPeer('socketio-room');
    await using load = new SocketLoad();
    const seconds = roundSeconds(settings, participantCounts.length);
    const rows: Row[] = [];
    for (const count of participantCounts) {
      const tokens = world.players.slice(0, count).map((player) => player.launcherJwt);
      const channelId = channelIds.get(count) ?? '';
      const round = async (server: ServerProcess) => {
        await load.connect(server, tokens);
        const { latencies, ...deliveries } = await load.chat({ seconds, channelId, inFlight });
        await load.disconnect();
        return { ...deliveries, p99: quantile(latencies, 0.99) };
      };
      const variant = `${count} participants`;
      const figure = { name: 'messages', variant, unit: 'deliveries/s', aim: '≥ 0.9' };
      const sides = { ours: () => round(ours), against: () => round(room) };
      const taken = await interleave(figure, sides, settings);
      rows.push(
        throughputRow(figure, taken.ours, taken.against),
        toRow(
          { name: 'messages', variant: `${variant}, p99`, unit: 'ms', aim: '' },
          taken.ours.map((one) => one.p99),
          taken.against.map((one) => one.p99),
        ),
      );
    }
    return rows;
  },
};
