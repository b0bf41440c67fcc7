import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Api, apiOf } from '../support/api.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';

const megabyte = 1_048_576;

/** JSON of exactly a megabyte: as many of the entries as fit, then a text as padding. */
function listOf(entry: (index: number) => unknown, indent?: number): string {
  const entries: unknown[] = [];
  const written = (all: unknown[]) => JSON.stringify(all, null, indent);
  const each =
    Buffer.byteLength(written([entry(1_000), entry(1_001)])) - Buffer.byteLength(written([entry(1_000)]));
  while (entries.length < Math.floor(megabyte / (each + 1)) - 1) entries.push(entry(entries.length));
  const missing = megabyte - Buffer.byteLength(written([...entries, '']));
  return written([...entries, 'x'.repeat(missing)]);
}

const item = (index: number) => ({
  id: index,
  name: 'sword',
  tags: ['a', 'b'],
  at: { x: 1.5, y: -2 },
  worn: true,
});
const ordinary: readonly [what: string, json: string][] = [
  ['records', listOf(item)],
  ['records, indented', listOf(item, 2)],
  ['names and nothing else', listOf((index) => ({ [`k${index}`]: '' }))],
  ['empty texts, the most quotes there can be', listOf(() => '')],
  ['empty texts, indented', listOf(() => '', 1)],
  ['texts that hold JSON', listOf((index) => JSON.stringify(item(index)))],
  ['words of other alphabets', listOf(() => '漢字 слово 🎲')],
];
const backslashes = JSON.stringify(['\\'.repeat(megabyte / 2 - 2)]);

describe('a state of 1,048,576 bytes', () => {
  let server: TestServer;
  let api: Api;
  let player: TestPlayer;
  beforeAll(async () => {
    server = await startTestServer();
    api = apiOf(server);
    player = await server.openSession((await server.createGame()).gameId);
  });
  afterAll(() => server.close());

  it.each(ordinary)('is accepted as text on every path: %s', async (what, state) => {
    expect(Buffer.byteLength(state)).toBe(megabyte);
    const { launcherJwt } = player;
    const kept = z.looseObject({ newState: z.looseObject({ state: z.unknown() }) });
    const input = { launcherJwt, label: what, state };
    const { newState } = accepted(await api.post('/launcher/set-state', input), kept);
    expect(newState.state).toEqual(JSON.parse(state));
    accepted(await api.dispatch('setState', input), kept);
    const play = { launcherJwt, sessionId: randomUUID(), state };
    accepted(await api.post('/launcher/track-game-sessions', play), z.unknown());
    using launcher = await connectLauncher(server.url, { launcherJwt });
    expect(await launcher.call('setState', input)).toMatchObject({ success: true });
    expect(await launcher.call('trackGameSessions', play)).toEqual({ success: true });
  });

  it('that is too long as text because of its backslashes is refused with a clear error, and accepted as a value', async () => {
    expect(Buffer.byteLength(backslashes)).toBe(megabyte);
    const { launcherJwt } = player;
    const sessionId = randomUUID();
    const state = { launcherJwt, label: 'backslashes' };
    const play = { launcherJwt, sessionId };
    for (const [path, input] of [
      ['/launcher/set-state', state],
      ['/launcher/track-game-sessions', play],
    ] as const) {
      const { error } = refused(
        await api.post(path, { ...input, state: backslashes }),
        413,
        'body_too_large',
      );
      expect(error).toContain('as a JSON value');
    }
    const value = { state: JSON.parse(backslashes) };
    accepted(await api.dispatch('setState', { ...state, ...value }), z.unknown());
    accepted(await api.dispatch('trackGameSessions', { ...play, ...value }), z.unknown());
    using launcher = await connectLauncher(server.url, { launcherJwt });
    expect(await launcher.call('trackGameSessions', { ...play, ...value })).toEqual({ success: true });
  });

  it.each([
    ['one byte more', `[${'1,'.repeat(megabyte / 2 - 1)}11]`],
    ['a number no double holds', null],
  ])('as a value of a play session: %s is refused', async (_what, json) => {
    const { launcherJwt } = player;
    const body = `{"launcherJwt":"${launcherJwt}","sessionId":"${randomUUID()}","state":${json ?? '[1e999]'}}`;
    const reason = json === null ? 'state_not_json' : 'state_too_large';
    refused(await api.dispatch('trackGameSessions', body), 400, reason, 'state');
  });

  it('of a play session is required, as text or as a value', async () => {
    const { launcherJwt } = player;
    const input = { launcherJwt, sessionId: randomUUID() };
    refused(await api.dispatch('trackGameSessions', input), 400, 'input_invalid', 'state');
    for (const state of [null, 7, [], { a: 1 }, '{"a":1}']) {
      accepted(await api.dispatch('trackGameSessions', { ...input, state }), z.unknown());
    }
  });
});
