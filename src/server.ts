import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Authenticator } from './auth/authenticator.ts';
import type { SecretBox } from './auth/game-secret.ts';
import type { Config } from './config.ts';
import { Links } from './links.ts';
import { openApiDocument } from './openapi/document.ts';
import type { Services } from './operations/define.ts';
import { createExecute } from './operations/execute.ts';
import { operations } from './operations/operations.ts';
import { Registry } from './operations/registry.ts';
import { MemoryPresence } from './presence/memory-presence.ts';
import { publicDirectory } from './public-directory.ts';
import { createApp } from './transports/http/app.ts';
import { Gateway } from './transports/socket/gateway.ts';
import { openWorkspace } from './workspace.ts';

export interface RunningServer {
  /** Where it listens, `http://HOST:PORT`. */
  url: string;
  services: Services;
  box: SecretBox;
  /** Stops taking calls, finishes those under way, and lets go of the data directory. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Puts the parts together: the one place that chooses adapters. Resolves when the server takes calls. */
export async function startServer(config: Config, logger: Logger): Promise<RunningServer> {
  const { store, tokens, box } = openWorkspace(config);
  const report = (thrown: unknown) =>
    logger.error({ err: thrown }, 'an operation failed by a defect of ours');
  const presence = new MemoryPresence();
  let url = '';
  const links = new Links(() => config.publicUrl ?? url);
  const services: Services = { store, presence, tokens, links, sessionLifetimeMs: config.sessionLifetimeMs };
  const authenticator = new Authenticator({ store, tokens, box, ownOrigin: () => links.origin });
  const registry = new Registry(operations);
  const execute = createExecute(authenticator, services);
  let closing = false;

  const app = createApp({
    registry,
    execute,
    publicKeys: tokens.publicKeys,
    openApi: () => openApiDocument(registry, links.base),
    notReady: () => (closing ? 'The server is shutting down' : null),
    publicDirectory,
    report,
  });
  const http = createServer(app);
  const gateway = new Gateway(http, { registry, execute, report, authenticator, presence });
  store.onCommit((events) => gateway.push(events));

  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(config.port, config.host, resolve);
  });
  const { port } = http.address() as AddressInfo;
  url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;

  async function close(): Promise<void> {
    if (closing) return;
    closing = true;
    await gateway.close(); // closes the HTTP server with it, once the requests under way are answered
    await presence.close();
    await store.close();
  }
  return { url, services, box, close, [Symbol.asyncDispose]: close };
}
