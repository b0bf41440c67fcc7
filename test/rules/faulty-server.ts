import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/server/server.ts';

/**
 * A server that ends with SIGKILL at a step between intent and receipt: `faulty-server.ts <step>`. Settings are
 * environment variables, as for `gantry serve`.
 */
const [, , step] = process.argv;
const server = await startServer(readConfig(), pino({ level: 'silent' }), {
  leaseMs: 500,
  faultPoint(name) {
    if (name !== step) return;
    process.kill(process.pid, 'SIGKILL');
    for (;;); // nothing more happens here, however long the signal takes
  },
});
process.stdout.write(`listening on ${server.url}\n`);
