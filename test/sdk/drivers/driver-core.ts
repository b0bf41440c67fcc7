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
  event?: string;
  leaderboard?: string;
  limit?: number;
  follow?: number;
  throws?: boolean;
  for?: number;
  signature?: string;
}
interface OpenClient {
  client: Sdk.GantryClient;
  saved: Saved | null;
  follows: Map<number, () => void>;
}

function empty(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
}

/** The message of what a listener throws for a test. */
export const thrown = 'Thrown for a test';

/**
 * The driver of the TypeScript client, for Node and browsers: `driver-protocol.md`. `names` are the events to listen
 * for; `putToken` puts a launcher's token where the client finds it.
 */
export function makeDriver(
  sdk: typeof Sdk,
  names: readonly string[],
  putToken: (token: string | null) => void,
  report: (line: object) => void,
) {
  const clients = new Map<string, OpenClient>();
  const signatures = new Map<number, (signature: string) => void>();

  /** A store that begins with what the kit has saved, and a `renew` that returns the kit's tokens. */
  function prepare(options: Json): OpenClient & { options: Sdk.ClientOptions } {
    const { saved = null, renewTokens, ...rest } = options;
    const kept: OpenClient = {
      client: undefined as never,
      saved: saved as Saved | null,
      follows: new Map(),
    };
    const store = {
      load: () => kept.saved,
      save: (now: Saved) => {
        kept.saved = now;
      },
    };
    const tokens = Array.isArray(renewTokens) ? renewTokens : null;
    const renew = tokens ? async () => tokens.shift() ?? null : undefined;
    return Object.assign(kept, { options: { ...rest, url: String(options.url), store, renew } });
  }

  function open(name: string, options: Json): null {
    const kept = prepare(options);
    listen(name, kept, new sdk.GantryClient(kept.options));
    return null;
  }

  async function connect(name: string, { ambientToken, ...options }: Json): Promise<Sdk.Player | null> {
    const kept = prepare(options);
    if (ambientToken !== undefined) putToken(String(ambientToken));
    try {
      const client = await sdk.connect(kept.options as Sdk.ConnectOptions);
      listen(name, kept, client);
      return client.player;
    } finally {
      putToken(null);
    }
  }

  async function connectWithWallet(id: number, name: string, options: Json): Promise<null> {
    const kept = prepare(options);
    const { game, wallet } = options;
    const given = { ...kept.options, gameId: String(game), wallet: String(wallet), sign: signing(id) };
    listen(name, kept, await sdk.connectWithWallet(given));
    return null;
  }

  function signing(id: number): Sdk.WalletOptions['sign'] {
    return (text) => {
      report({ sign: text, for: id });
      return new Promise((resolve) => signatures.set(id, resolve));
    };
  }

  function listen(name: string, kept: OpenClient, client: Sdk.GantryClient): void {
    kept.client = client;
    clients.set(name, kept);
    for (const event of names) {
      client.on(event as keyof Received, (record, meta) => report({ client: name, event, record, meta }));
    }
    client.onQueued(({ operation }, outcome) => {
      const reason = 'error' in outcome ? outcome.error.reason : null;
      report({ client: name, queued: operation, reason });
    });
    client.onResync((stream) => report({ client: name, resync: stream }));
    client.onStatus((status) => {
      const { state, ...more } = status;
      report({ client: name, status: state, ...more });
    });
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
      case 'connect':
        return connect(command.client ?? '', command.options ?? {});
      case 'player':
        return opened(command).client.player;
      case 'on':
        opened(command).client.on(command.event as keyof Received, () => undefined);
        return null;
      case 'follow': {
        const { client, follows } = opened(command);
        const show = (rows: object[]) => report({ client: command.client, follow: command.id, rows });
        const limit = command.limit === undefined ? {} : { limit: command.limit };
        follows.set(command.id, await client.leaderboard(command.leaderboard).follow(show, limit));
        return null;
      }
      case 'followFriends': {
        const { client, follows } = opened(command);
        const show = (list: Sdk.FriendList) => {
          report({ client: command.client, follow: command.id, list });
          if (command.throws) throw new Error(thrown);
        };
        follows.set(command.id, await client.friends.follow(show));
        return null;
      }
      case 'config': {
        const { version, values } = opened(command).client.config;
        return { version, values };
      }
      case 'followConfig': {
        const { client, follows } = opened(command);
        const show = (config: object) => report({ client: command.client, follow: command.id, config });
        follows.set(command.id, await client.config.follow(show));
        return null;
      }
      case 'unfollow':
        opened(command).follows.get(command.follow ?? 0)?.();
        return null;
      case 'ready':
        await opened(command).client.ready();
        return null;
      case 'call':
        return call(command);
      case 'queue': {
        const answered = opened(command).client.queue(
          command.operation as QueueableName,
          command.input as never,
        );
        for (const value of Object.values(command.input ?? {})) empty(value);
        return answered;
      }
      case 'queueWithoutJson':
        return opened(command).client.queue('setState', { label: 'progress', state: 1n as never });
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
        return sdk.signInWithWallet({ ...(options as Sdk.WalletOptions), sign: signing(command.id) });
      case 'connectWithWallet':
        return connectWithWallet(command.id, command.client ?? '', command.options ?? {});
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
