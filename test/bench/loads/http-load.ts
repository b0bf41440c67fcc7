import autocannon from 'autocannon';
import { answer } from './answer.ts';
import { httpJob } from './jobs.ts';

answer(async (message) => {
  const { url, seconds, connections, scripts, isTimed } = httpJob.parse(message);
  let connection = 0;
  const latencies: number[] = [];
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 50, // how often it reads the clock, in milliseconds; by default it would overrun by a second
    setupClient(client) {
      client.setRequests(scripts[connection++ % scripts.length] ?? []);
      if (isTimed) client.on('response', (_status, _bytes, took) => latencies.push(took));
    },
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed, ${result['2xx']} did not`);
  const done = { count: result['2xx'], perSecond: result['2xx'] / result.duration };
  return isTimed ? { ...done, latencies: Float64Array.from(latencies) } : done;
});
