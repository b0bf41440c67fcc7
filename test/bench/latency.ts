import { Agent, request } from 'node:http';
import type { Row } from './benchmark.ts';
import type { HttpRequest } from './loads/jobs.ts';
import { useOf } from './process-use.ts';
import { type Figure, interleaveTurns, median, quantile, type RoundSettings, toRow } from './rounds.ts';
import type { ServerProcess } from './server-process.ts';

const requestsATurn = 20;

/**
 * Compares the p99 of two kinds of requests to one server, sent in turns of a few, and reports the processor time of
 * each. `requestOf` returns the nth request of a round.
 */
export async function compareLatencies(
  figure: Omit<Figure, 'unit'>,
  server: ServerProcess,
  requestOf: Readonly<Record<'ours' | 'against', (index: number) => HttpRequest>>,
  { requests, ...settings }: RoundSettings & { requests: number },
): Promise<Row> {
  const turnsOf = (side: keyof typeof requestOf) => {
    let index = 0;
    return async () => {
      const ofTurn = Array.from({ length: requestsATurn }, () => requestOf[side](index++ % requests));
      const before = useOf(server.child.pid)?.cpuSeconds ?? Number.NaN;
      const milliseconds = await latencies(server.url, ofTurn);
      const cpuSeconds = (useOf(server.child.pid)?.cpuSeconds ?? Number.NaN) - before;
      return { milliseconds, cpuMicroseconds: (cpuSeconds * 1e6) / requestsATurn };
    };
  };
  const taken = await interleaveTurns(
    figure,
    { ours: turnsOf('ours'), against: turnsOf('against') },
    { ...settings, turns: requests / requestsATurn },
  );
  const p99 = (rounds: typeof taken.ours) =>
    rounds.map((turns) =>
      quantile(
        turns.flatMap(({ milliseconds }) => milliseconds),
        0.99,
      ),
    );
  const cpu = (rounds: typeof taken.ours) => median(rounds.flat().map((turn) => turn.cpuMicroseconds));
  return {
    ...toRow({ ...figure, unit: 'ms' }, p99(taken.ours), p99(taken.against)),
    ourCpuMicroseconds: cpu(taken.ours),
    theirCpuMicroseconds: cpu(taken.against),
  };
}

/**
 * Sends requests in sequence over one connection, and returns how long each took to its last byte, in milliseconds:
 * what a single caller experiences on an otherwise idle server.
 */
export async function latencies(url: string, requests: readonly HttpRequest[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const taken: number[] = [];
  for (const one of requests) {
    const sentAt = performance.now();
    await send(url, one, agent);
    taken.push(performance.now() - sentAt);
  }
  agent.destroy();
  return taken;
}

function send(url: string, { method, path, headers, body }: HttpRequest, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${method} ${path}: ${response.statusCode}`));
      response.resume().once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
