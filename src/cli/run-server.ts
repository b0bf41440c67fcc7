import type { Logger } from 'pino';
import { type Config, setVariables } from '../config.ts';
import { collectAfterStart } from '../runtime/collect-after-start.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { demoAccess, demoGame } from '../tools/demo/demo-access.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { demoCalls, welcome } from '../tools/demo/welcome.ts';
import { misspelledSettings } from './misspelled-settings.ts';

/** How long a graceful shutdown may take before the process exits anyway, in milliseconds. */
const shutdownTimeoutMs = 9_000;
const parentPollMs = 250;

export interface Welcome {
  /** One line of JSON, for programs. */
  json?: boolean | undefined;
  /** With a token of a demo player, and calls to paste. */
  withCalls?: boolean;
}

/** Runs the server until it receives SIGTERM or SIGINT. */
export async function serve(config: Config, shown: Welcome): Promise<void> {
  const logger = createLogger(config.logLevel);
  for (const warning of misspelledSettings(Object.keys(setVariables()))) logger.warn(warning);
  const server = await startServer(config, logger);
  const stopping = stopOnSignal(server, logger, config.startedByNpm);
  try {
    await welcomeOperator(server, config, shown);
  } catch (error) {
    if (!stopping.aborted) throw error; // otherwise the database was closed meanwhile
  }
  collectAfterStart();
}

/** Creates the demo, if configured, and prints how to reach the server. */
async function welcomeOperator(
  server: RunningServer,
  config: Config,
  { json, withCalls }: Welcome,
): Promise<void> {
  const { url, services, createdAdminToken } = server;
  if (config.demo) await seedDemo(services.db, server.box);
  const game = config.demo ? await demoGame(services.db) : null;
  const message = `Gantry listening on ${url}`;
  const base = services.publicUrls.base.replace(unspecifiedHost, '$1127.0.0.1');
  // Other nodes do not know the code.
  const consoleBase = config.redisUrl === undefined ? base : url.replace(unspecifiedHost, '$1127.0.0.1');
  const consoleLink = `${consoleBase}/console#sign-in=${server.newConsoleCode()}`;
  if (json) {
    const demo = game && (await demoAccess(game, services));
    const line = { message, url, consoleLink, adminToken: createdAdminToken, demo };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const directory = config.databaseUrl === undefined ? config.dataDirectory : null;
  const calls = game && withCalls ? demoCalls(base, await demoAccess(game, services)) : '';
  process.stdout.write(
    `${message}\n${adminNote(createdAdminToken)}${welcome({ base, consoleLink }, game, directory)}${calls}`,
  );
}

/** A server that listens on all addresses is reached at this one, too. */
const unspecifiedHost = /^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/;

/** Only the hash of the admin token is stored, so it is shown once, when it is created. */
function adminNote(token: string | null): string {
  return token === null ? '' : `\n  Admin token  ${token}  (shown only once)\n`;
}

/** Returns a signal that is aborted when the server is being stopped. */
function stopOnSignal(server: RunningServer, logger: Logger, startedByNpm: boolean): AbortSignal {
  const stopping = new AbortController();
  const stop = (cause: string, exitCode = 0) => {
    stopping.abort();
    logger.info({ cause }, 'stopping');
    setTimeout(() => {
      logger.error('connections are still open; exiting anyway');
      process.exit(exitCode);
    }, shutdownTimeoutMs).unref();
    server.close().then(
      () => logger.flush(() => process.exit(exitCode)),
      (error: unknown) => {
        logger.error({ err: error }, 'the server did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', (signal) => stop(signal));
  process.once('SIGINT', (signal) => stop(signal));
  server.db.onEnd((why) => {
    if (stopping.signal.aborted) return;
    logger.error(why);
    stop('the schema of the database', 1);
  });
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
