import type * as Sdk from '../../../src/sdk/client/client.ts';
import type { OperationName, QueueableName, Received, Saved } from '../../../src/sdk/client/client.ts';

type Json = Record<string, unknown>;
interface Command {
  id: number;
  do: string;
  client?: string;
  operation?: OperationName;
  input?: Json;
  options?: Json;
  gameId?: string;
  for?: number;
  signature?: string;
}
interface OpenClient {
  client: Sdk.GantryClient;
  saved: Saved | null;
}

/**
 * The driver of the TypeScript client, for Node and browsers: `driver-protocol.md`. `names` are the events to listen
 * for.
 */
export function makeDriver(sdk: typeof Sdk, names: readonly string[], report: (line: object) => void) {
  const clients = new Map<string, OpenClient>();
  const signatures = new Map<number, (signature: string) => void>();

  function open(name: string, options: Json): null {
    const { saved = null, ...rest } = options;
    const kept: OpenClient = { client: undefined as never, saved: saved as Saved | null };
    const store = {
      load: () => kept.saved,
      save: (now: Saved) => {
        kept.saved = now;
      },
    };
    const client = new sdk.GantryClient({ ...rest, url: String(options.url), store });
    kept.client = client;
    clients.set(name, kept);
    for (const event of names) {
      client.on(event as keyof Received, (record, meta) => report({ client: name, event, record, meta }));
    }
    client.onResync((stream) => report({ client: name, resync: stream }));
    client.onStatus((status) =>
      report({
        client: name,
        status: status.state,
        ...(status.state === 'refused' && { reason: status.reason }),
      }),
    );
    return null;
  }

  function opened({ client = '' }: Command): OpenClient {
    const found = clients.get(client);
    if (!found) throw new Error(`no client ${client}`);
    return found;
  }

  function call(command: Command): Promise<unknown> {
    const { client } = opened(command);
    const { launcherJwt, wallet, ...options } = command.options ?? {};
    const caller =
      typeof launcherJwt === 'string'
        ? client.as(launcherJwt)
        : typeof wallet === 'string'
          ? client.forPlayer(wallet)
          : client;
    const method = caller.api[command.operation ?? 'getGames'] as (...args: object[]) => Promise<unknown>;
    return method(command.input ?? {}, options);
  }

  async function execute(command: Command): Promise<unknown> {
    const options = (command.options ?? {}) as never;
    switch (command.do) {
      case 'open':
        return open(command.client ?? '', command.options ?? {});
      case 'ready':
        await opened(command).client.ready();
        return null;
      case 'call':
        return call(command);
      case 'queue':
        return opened(command).client.queue(command.operation as QueueableName, command.input as never);
      case 'subscribe':
        return opened(command).client.subscribe(command.gameId);
      case 'unsubscribe':
        await opened(command).client.unsubscribe(command.gameId);
        return null;
      case 'cursors':
        return opened(command).client.cursors;
      case 'saved':
        return opened(command).saved;
      case 'signInAsGuest':
        return sdk.signInAsGuest(options);
      case 'signInWithWallet':
        return sdk.signInWithWallet({
          ...(options as Sdk.WalletOptions),
          sign: (text) => {
            report({ sign: text, for: command.id });
            return new Promise((resolve) => signatures.set(command.id, resolve));
          },
        });
      case 'signature':
        signatures.get(command.for ?? 0)?.(command.signature ?? '');
        return null;
      case 'close':
        opened(command).client.close();
        return null;
      default:
        throw new Error(`unknown command ${command.do}`);
    }
  }

  return async (command: Command): Promise<void> => {
    try {
      report({ id: command.id, ok: (await execute(command)) ?? null });
    } catch (error) {
      if (!(error instanceof sdk.GantryError)) throw error;
      const { reason, code, message, retryAfterSeconds = null, data, errors } = error;
      report({ id: command.id, error: { reason, code, message, retryAfterSeconds, data, errors } });
    }
  };
}
