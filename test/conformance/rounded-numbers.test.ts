import { afterAll, describe, expect, test } from 'vitest';
import { apiOf } from '../support/api.ts';
import { callStyles } from '../support/call-styles.ts';
import { refused } from '../support/outcome.ts';
import { operationNamed } from '../support/registered.ts';
import { hmacSigned } from '../support/request-signatures.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId, gameSecret } = await server.createGame();
const { launcherJwt, wallet } = await server.openSession(gameId);

const id = '76561198012345679';
const told = `which would be rounded to 76561198012345680: send it as a string, or as that number`;
/** Written by `JSON.stringify` as it is: clients in other languages have 64-bit numbers. */
const exactId: unknown = Reflect.get(JSON, 'rawJSON')(id); // TypeScript does not know it
/** More than is parsed without a thread, on either transport. */
const padding = 'x'.repeat(100_000);

const reasonsOf = (body: unknown) => body as { data: { reason: string }; errors: unknown[] };

describe.each(Object.entries(callStyles))('over %s', (_style, connect) => {
  test.each<[string, string, object, string, string]>([
    ['a state', 'setState', { label: 'a', state: `{"steamId":${id}}` }, 'state', '$.steamId'],
    ['a large state', 'setState', { label: 'a', state: `["${padding}",${id}]` }, 'state', '$[1]'],
    ['a patch', 'patchState', { label: 'a', patch: `{"a":{"b":${id}}}` }, 'patch', '$.a.b'],
    [
      'one of several states',
      'setStates',
      { states: [{ label: 'a', state: `[${id}]` }] },
      'states.0.state',
      '$[0]',
    ],
    ['metadata', 'setUserScore', { score: 1, metadata: { owner: exactId } }, 'metadata', '$.owner'],
    ['a score', 'setUserScore', { score: exactId }, 'score', ''],
    [
      'a batch',
      'batch',
      { operations: [{ method: 'setUserScore', data: { score: 1, metadata: { a: exactId } } }] },
      'operations',
      '$[0].data.metadata.a',
    ],
  ])(
    'a whole number that would be rounded is refused in %s, with its path',
    async (_, method, input, field, path) => {
      using caller = await connect(server.url);
      const { body } = await caller.call(operationNamed(method), { launcherJwt, ...input });
      const message = `${path}${path && ' '}is ${id}, ${told}`;
      expect(reasonsOf(body).data.reason).toBe('number_not_exact');
      expect(reasonsOf(body).errors).toEqual([{ path: field, message }]);
    },
  );

  test('strings of digits, exact powers of ten and fractions are stored', async () => {
    using caller = await connect(server.url);
    const state = `{"id":"${id}","coins":1e17,"gold":1.5e300,"x":0.30000000000000004,"y":12.123456789012345678}`;
    const answer = await caller.call(operationNamed('setState'), { launcherJwt, label: 'a', state });
    expect(answer.body).toMatchObject({ newState: { state: JSON.parse(state) } });
  });
});

const valueStyles = Object.entries(callStyles).filter(([name]) => name !== 'dedicated HTTP');

describe.each(valueStyles)('over %s', (_style, connect) => {
  test.each<[string, string, object, string, string]>([
    ['state', 'setState', { label: 'a', state: { steamId: exactId } }, 'state', '$.steamId'],
    ['state that is only a number', 'setState', { label: 'a', state: exactId }, 'state', ''],
    ['large state', 'setState', { label: 'a', state: { padding, steamId: exactId } }, 'state', '$.steamId'],
    ['patch', 'patchState', { label: 'a', patch: [exactId] }, 'patch', '$[0]'],
    [
      'state of a play session',
      'trackGameSessions',
      { sessionId: crypto.randomUUID(), state: { a: exactId } },
      'state',
      '$.a',
    ],
  ])('also in a %s that is sent as a value', async (_, method, input, field, path) => {
    using caller = await connect(server.url);
    const { body } = await caller.call(operationNamed(method), { launcherJwt, ...input });
    const message = `${path}${path && ' '}is ${id}, ${told}`;
    expect(reasonsOf(body).data.reason).toBe('number_not_exact');
    expect(reasonsOf(body).errors).toEqual([{ path: field, message }]);
  });
});

test("a game's server is refused too, with a signed request", async () => {
  const body = JSON.stringify({ wallet, label: 'a', state: `{"steamId":${id}}` });
  const headers = { Authorization: `Bearer ${gameSecret}`, ...hmacSigned(gameSecret, body) };
  refused(await api.post('/launcher/set-state', body, headers), 400, 'number_not_exact', 'state');
});

test('a number beyond all doubles is refused in metadata', async () => {
  for (const number of ['1e400', '-1e999']) {
    const body = `{"launcherJwt":"${launcherJwt}","score":1,"metadata":{"a":[${number}]}}`;
    refused(await api.post('/launcher/set-user-score', body), 400, 'number_not_exact', 'metadata');
  }
});
