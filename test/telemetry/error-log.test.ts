import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ErrorLog } from '../../src/telemetry/error-log.ts';

function logged() {
  const written: string[] = [];
  const log = new ErrorLog(pino({}, { write: (line) => written.push(line) }));
  return {
    log,
    take: () => written.splice(0).map((line): Record<string, unknown> => JSON.parse(line)),
  };
}

const failed = 'unhandled error in operation';

test('the first of the same errors are logged in full, with the ids of their calls, and all are counted', () => {
  const { log, take } = logged();
  for (let at = 0; at < 1_000; at++) log.add('error', new Error('no such table'), failed, `call-${at}`);
  log.add('warn', new Error('no such table'), 'queue worker failed, retrying');
  const err = { message: 'no such table', stack: expect.any(String) };
  expect(take()).toMatchObject([
    { level: 50, msg: failed, id: 'call-0', err },
    { level: 50, msg: failed, id: 'call-1', err },
    { level: 50, msg: failed, id: 'call-2', err },
    { level: 40, msg: 'queue worker failed, retrying', err },
  ]);
  log.flush();
  expect(take()).toMatchObject([
    { level: 50, msg: `${failed} (summary)`, error: 'Error: no such table', count: 1_000, logged: 3 },
  ]);
  log.add('error', new Error('no such table'), failed);
  expect(take()).toMatchObject([{ level: 50, msg: failed, err }]);
});

test('very many different errors are a bounded number of lines', () => {
  const { log, take } = logged();
  for (let at = 0; at < 1_000; at++) log.add('error', new Error(`no row ${at}`), failed);
  log.flush();
  const lines = take();
  expect(lines.length).toBeLessThan(200);
  expect(lines.at(-1)).toMatchObject({ error: 'other errors', count: 900 });
});
