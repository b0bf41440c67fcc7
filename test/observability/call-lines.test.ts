import { pino } from 'pino';
import { expect, test } from 'vitest';
import { CallLines } from '../../src/observability/call-lines.ts';

test.each(['0190a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', 'x","outcome":"ok\n{"level":60}', '\\ \u2028 é \ud800'])(
  'the line of a call is what pino writes, in one line, whatever a game that was imported is called: %j',
  (game) => {
    const written: string[] = [];
    const logger = pino({}, { write: (line) => written.push(line) });
    new CallLines(logger).write('1-a', 'setUserScore', game, 'http', 'rate_limited', 1.24);
    const fields = { id: '1-a', operation: 'setUserScore', game, transport: 'http', outcome: 'rate_limited' };
    logger.info({ ...fields, ms: 1.2 }, 'call');
    const [ours = '', theirs = ''] = written.map((line) => line.replace(/"time":\d+/, '"time":0'));
    expect(ours).toBe(theirs);
    expect(ours.indexOf('\n')).toBe(ours.length - 1);
  },
);
