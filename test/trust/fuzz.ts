import { parseArgs } from 'node:util';
import { fuzz } from './fuzzing/fuzz.ts';

// Sends mutated calls of every operation to a dedicated server, and prints the outcomes:
//   node test/trust/fuzz.ts --requests 20000 --seed 7
// Ends with 1 when a response was a 5xx, a call went unanswered, or the server crashed.

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
process.stderr.write(`seed ${seed}\n`);

const startedAt = performance.now();
const { failures, log, ...report } = await fuzz({ requests: Number(values.requests), seed });
const seconds = Math.round((performance.now() - startedAt) / 1000);
process.stdout.write(`${JSON.stringify({ ...report, seconds }, null, 2)}\n`);
for (const failure of failures) process.stderr.write(`${failure}\n`);
if (failures.length > 0) process.stderr.write(log.slice(-10_000));
process.exitCode = report['5xx'] + report.exits + report.hung === 0 ? 0 : 1;
