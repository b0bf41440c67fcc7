import { Command } from 'commander';
import type { Logger } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { demoAccess } from '../tools/demo/demo-access.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { welcome } from '../tools/demo/welcome.ts';

/** How long a graceful shutdown may take before the process exits anyway, in milliseconds. */
const shutdownTimeoutMs = 9_000;
const parentPollMs = 250;

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the server')
    .option('--json', 'print one line of JSON when ready, instead of the welcome message')
    .addHelpText('after', '\nExample:\n  PORT=4000 DATA_DIR=./data gantry serve')
    .action(({ json }: { json?: boolean }) => serve(readConfig(), json));
}

/** Runs the server until it receives SIGTERM or SIGINT. */
export async function serve(config: Config, json: boolean | undefined): Promise<void> {
  const logger = createLogger(config.logLevel);
  const server = await startServer(config, logger);
  const stopping = stopOnSignal(server, logger, config.startedByNpm);
  try {
    await welcomeOperator(server, config, json);
  } catch (error) {
    if (!stopping.aborted) throw error; // otherwise the database was closed meanwhile
  }
}

/** Creates the demo, if configured, and prints how to reach the server. */
async function welcomeOperator(
  server: RunningServer,
  config: Config,
  json: boolean | undefined,
): Promise<void> {
  if (config.demo) await seedDemo(server.services.db, server.box);
  const demo = config.demo ? await demoAccess(server.services) : null;
  const message = `Gantry listening on ${server.url}`;
  const elsewhere = config.dataDirectory === readConfig().dataDirectory ? null : config.dataDirectory;
  if (json)
    process.stdout.write(
      `${JSON.stringify({ message, url: server.url, adminToken: server.createdAdminToken, demo })}\n`,
    );
  else
    process.stdout.write(
      `${message}\n${adminNote(server.createdAdminToken)}${demo ? welcome(server.url, demo, elsewhere) : ''}`,
    );
}

/** Only the hash of the admin token is stored, so it is shown once, when it is created. */
function adminNote(token: string | null): string {
  return token === null ? '' : `\n  Admin token  ${token}  (shown only once)\n`;
}

/** Returns a signal that is aborted when the server is being stopped. */
function stopOnSignal(server: RunningServer, logger: Logger, startedByNpm: boolean): AbortSignal {
  const stopping = new AbortController();
  const stop = (cause: string) => {
    stopping.abort();
    logger.info({ cause }, 'stopping');
    setTimeout(() => {
      logger.error('connections are still open; exiting anyway');
      process.exit(0);
    }, shutdownTimeoutMs).unref();
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
  if (startedByNpm) onceOrphaned(() => stop('npm has exited'));
  return stopping.signal;
}

/**
 * npm forwards a signal to the shell it started, and some shells exit without forwarding it, which leaves an
 * orphaned server that occupies the port. A changed parent process reveals that.
 */
function onceOrphaned(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, parentPollMs).unref();
}
