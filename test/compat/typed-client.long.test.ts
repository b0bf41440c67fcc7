import rest from '@feathersjs/rest-client';
import socketio from '@feathersjs/socketio-client';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { createWorld, type World } from '../support/world.ts';
import { loadPackage, noPackage, type PackageClient } from './basement-package.ts';
import { methods } from './methods.ts';

/** A client of the package as its users create one: only the address, which names the game, is changed. */
interface Connected extends Disposable {
  client: PackageClient;
  /** Added to the data of each call: the package's methods carry the token there. */
  token: object;
}

const outcomes: Record<string, string[]> = {};

describe.skipIf(noPackage !== null)('the typed client of the npm package', () => {
  const { createClient, methodsOf } =
    noPackage === null ? loadPackage() : { createClient: null, methodsOf: null };
  let server: TestServer;
  /** For calls that no service takes: they change nothing. */
  let unchanged: World;
  beforeAll(async () => {
    server = await startTestServer();
    unchanged = await createWorld(server);
  });
  afterAll(async () => {
    await server.close();
    const lines = Object.entries(outcomes).map(([name, by]) => `  ${name.padEnd(52)} ${by.join(', ')}`);
    process.stdout.write(`methods of the npm package, by transport:\n${lines.join('\n')}\n`);
  });

  const base = ({ gameId }: World) => `${server.url}/g/${gameId}`;
  const overSocket = (world: World, transports: string[], auth: object): Connected => {
    const socket = io(base(world), { transports, auth, forceNew: true });
    const connection = socketio.default(socket as unknown as Parameters<typeof socketio.default>[0], {
      timeout: 20_000,
    });
    if (!createClient) throw new Error('the package is not installed');
    const token = 'launcherJwt' in auth ? {} : { launcherJwt: world.owner.launcherJwt };
    return { client: createClient(connection), token, [Symbol.dispose]: () => void socket.disconnect() };
  };
  const transports: Record<string, (world: World) => Connected> = {
    REST: (world) => {
      if (!createClient) throw new Error('the package is not installed');
      const client = createClient(rest.default(base(world)).fetch(fetch));
      return { client, token: { launcherJwt: world.owner.launcherJwt }, [Symbol.dispose]: () => undefined };
    },
    WebSocket: (world) => overSocket(world, ['websocket'], {}),
    'long polling': (world) => overSocket(world, ['polling'], {}),
    'WebSocket, signed in': (world) =>
      overSocket(world, ['websocket'], { launcherJwt: world.owner.launcherJwt }),
  };

  test.each(Object.keys(methods))('declares for %s what the table lists', (service) => {
    expect(methodsOf?.(service).sort()).toEqual(Object.keys(methods[service] ?? {}).sort());
  });

  describe.each(Object.entries(transports))('over %s', (transport, connect) => {
    const calls = Object.entries(methods).flatMap(([service, named]) =>
      Object.entries(named).map(([name, method]) => ({ service, name, method })),
    );

    test.each(calls)('$service $name', async ({ service, name, method }) => {
      const world = 'outside' in method ? unchanged : await createWorld(server);
      using connected = connect(world);
      const call = async (data: unknown) => {
        const found = connected.client.service(service)[name];
        if (!found) throw new Error(`the client has no ${service} ${name}`);
        return found.call(connected.client.service(service), data, {});
      };
      const record = (outcome: string) => {
        const before = outcomes[`${service} ${name}`] ?? [];
        outcomes[`${service} ${name}`] = [...before, `${transport}: ${outcome}`];
      };
      if ('outside' in method) {
        const refused: { data?: { reason?: string } } = await call(
          name === 'find' ? {} : connected.token,
        ).then(
          () => ({}),
          (error) => error,
        );
        expect(refused.data).toMatchObject({
          reason: expect.stringMatching(/^(method|path)_unknown$/), // `get` and the like are paths over REST
          success: false,
          error: expect.any(String),
        });
        record('outside');
        return;
      }
      const data = await method.data(world);
      if (method.socketOnly && transport === 'REST') {
        await expect(call({ ...connected.token, ...Object(data) })).rejects.toMatchObject({
          data: { reason: 'socket_required' },
        });
        record('needs a socket');
        return;
      }
      // With null or a text as the data, the handshake is the only place for a token.
      const isBare = data === null || typeof data === 'string';
      if (isBare && !method.isPublic && 'launcherJwt' in connected.token) {
        await expect(call(data)).rejects.toMatchObject({ data: { reason: 'token_missing' } });
        record('needs a handshake with a token');
        return;
      }
      const sent = isBare ? data : { ...connected.token, ...Object(data) };
      const answer = await call(method.byQuery ? { query: data } : sent);
      expect(method.answer.safeParse(answer).error?.message, JSON.stringify(answer)).toBeUndefined();
      record('served');
    });

    test('reports a failure in the form its callers read', async () => {
      const world = await createWorld(server);
      using connected = connect(world);
      const data = { ...connected.token, score: 'many', nonce: '' };
      const refused = await connected.client
        .service('launcher')
        .setUserScore?.(data)
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({
        name: 'BadRequest',
        code: 400,
        data: { success: false, error: 'score: must be a finite number' },
      });
    });
  });
});
