import { Command } from 'commander';
import type { Logger } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { demoEntrance } from '../demo/entrance.ts';
import { seedDemo } from '../demo/seed.ts';
import { welcome } from '../demo/welcome.ts';
import { createLogger } from '../observability/logger.ts';
import { type RunningServer, startServer } from '../server.ts';

/** How long a stop may take before the process ends anyway, in milliseconds. */
const stopWithinMs = 9_000;
const lookForParentEveryMs = 250;

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service')
    .option('--json', 'print one line of JSON when ready, instead of the welcome')
    .addHelpText('after', '\nExample:\n  PORT=4000 DATA_DIR=./data gantry serve')
    .action(({ json }: { json?: boolean }) => serve(readConfig(), json));
}

/** Runs the service until it is told to stop. */
export async function serve(config: Config, json: boolean | undefined): Promise<void> {
  const logger = createLogger(config.logLevel);
  const server = await startServer(config, logger);
  stopWhenTold(server, logger, config.startedByNpm);
  if (config.demo) await seedDemo(server.services.store, server.box);
  const demo = config.demo ? await demoEntrance(server.services) : null;
  const message = `Gantry listening on ${server.url}`;
  const elsewhere = config.dataDirectory === readConfig().dataDirectory ? null : config.dataDirectory;
  if (json)
    process.stdout.write(
      `${JSON.stringify({ message, url: server.url, adminToken: server.madeAdminToken, demo })}\n`,
    );
  else
    process.stdout.write(
      `${message}\n${adminNote(server.madeAdminToken)}${demo ? welcome(server.url, demo, elsewhere) : ''}`,
    );
}

/** The admin token is kept as a hash, so the start that makes it is the only one that can show it. */
function adminNote(token: string | null): string {
  return token === null ? '' : `\n  Admin token  ${token}  (shown this once)\n`;
}

function stopWhenTold(server: RunningServer, logger: Logger, startedByNpm: boolean): void {
  const stop = (cause: string) => {
    logger.info({ cause }, 'stopping');
    setTimeout(() => {
      logger.error('connections are still open; ending anyway');
      process.exit(0);
    }, stopWithinMs).unref();
    server.close().then(
      () => logger.flush(() => process.exit(0)),
      (error: unknown) => {
        logger.error({ err: error }, 'the server did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (startedByNpm) onceOrphaned(() => stop('npm has ended'));
}

/**
 * npm passes a signal to the shell it started, and some shells end without passing it on; what is left is a
 * server nobody owns that keeps the port. It shows by its parent having changed.
 */
function onceOrphaned(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, lookForParentEveryMs).unref();
}
