import autocannon from 'autocannon';
import { answer } from './answer.ts';
import { httpJob } from './jobs.ts';

answer(async (message) => {
  const { url, seconds, connections, scripts } = httpJob.parse(message);
  let connection = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 50, // how often it reads the clock, in milliseconds; by default it would overrun by a second
    setupClient: (client) => client.setRequests(scripts[connection++ % scripts.length] ?? []),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed, ${result['2xx']} did not`);
  return { count: result['2xx'], perSecond: result['2xx'] / result.duration };
});
