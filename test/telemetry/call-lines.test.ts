import { pino } from 'pino';
import { expect, test } from 'vitest';
import { CallLines } from '../../src/telemetry/call-lines.ts';
import { RefusalLog } from '../../src/telemetry/refusal-log.ts';

test.each(['0190a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', 'x","outcome":"ok\n{"level":60}', '\\ \u2028 é \ud800'])(
  "the line of a call matches pino's, on one line, whatever the name of an imported game: %j",
  (game) => {
    const written: string[] = [];
    const logger = pino({}, { write: (line) => written.push(line) });
    const call = {
      id: '1-a',
      operation: 'setUserScore',
      transport: 'http',
      outcome: 'rate_limited',
    } as const;
    new CallLines(logger, new RefusalLog(logger)).write({
      ...call,
      gameId: game,
      wallet: undefined,
      isServer: false,
      address: '127.0.0.1',
      message: undefined,
      endedAt: 0,
      durationMs: 1.24,
    });
    const { transport, outcome, ...named } = call;
    logger.info({ ...named, game, address: '127.0.0.1', transport, outcome, ms: 1.2 }, 'call');
    const [ours = '', theirs = ''] = written.map((line) => line.replace(/"time":\d+/, '"time":0'));
    expect(ours).toBe(theirs);
    expect(ours.indexOf('\n')).toBe(ours.length - 1);
  },
);

test('the line of a call says when it was made by a game server', () => {
  const written: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => written.push(line) });
  const call = { id: '1-a', operation: 'setUserScore', transport: 'http', outcome: 'ok' } as const;
  for (const isServer of [true, false]) {
    const whose = { gameId: 'game', wallet: '0xab', isServer, address: '127.0.0.1' };
    new CallLines(logger, new RefusalLog(logger)).write({
      ...call,
      ...whose,
      message: undefined,
      endedAt: 0,
      durationMs: 1,
    });
  }
  expect(written.map((line) => JSON.parse(line).by)).toEqual(['game-server', undefined]);
});
