import { Command } from 'commander';
import { destination, type Logger, pino } from 'pino';
import { readConfig } from '../config.ts';
import { seedDemo } from '../demo/seed.ts';
import { welcome } from '../demo/welcome.ts';
import { type RunningServer, startServer } from '../server.ts';

/** How long a stop may take before the process ends anyway, in milliseconds. */
const stopWithinMs = 9_000;

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service')
    .addHelpText('after', '\nExample:\n  PORT=4000 DATA_DIR=./data gantry serve')
    .action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig();
  // To standard error, so that standard output stays for people.
  const logger = pino({ level: config.logLevel }, destination({ dest: 2, sync: true }));
  const server = await startServer(config, logger);
  stopOnSignal(server, logger);
  if (config.demo) await seedDemo(server.services.store, server.box);
  process.stdout.write(`Gantry listening on ${server.url}\n`);
  if (config.demo) process.stdout.write(await welcome(server));
}

function stopOnSignal(server: RunningServer, logger: Logger): void {
  const stop = (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.error('connections are still open; ending anyway');
      process.exit(0);
    }, stopWithinMs).unref();
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the server did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
