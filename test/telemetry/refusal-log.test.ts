import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RefusalLog } from '../../src/telemetry/refusal-log.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function logged() {
  const written: string[] = [];
  const log = new RefusalLog(pino({}, { write: (line) => written.push(line) }));
  return {
    log,
    take: () => written.splice(0).map((line): Record<string, unknown> => JSON.parse(line)),
  };
}

test('the first refusals of an address are logged one by one, the others in one line per reason', () => {
  const { log, take } = logged();
  for (let at = 0; at < 1_000; at++)
    log.add({ reason: 'token_missing', at: 'handshake', address: '10.0.0.1' });
  for (let at = 0; at < 500; at++) log.add({ reason: 'flood', at: 'connection', address: '10.0.0.1' });
  log.add({ reason: 'flood', at: 'connection', address: '10.0.0.2' });
  const refused = {
    reason: 'token_missing',
    at: 'handshake',
    address: '10.0.0.1',
    level: 30,
    msg: 'refused',
  };
  const flood = { reason: 'flood', at: 'connection', level: 40, msg: 'flooding client disconnected' };
  expect(take()).toMatchObject([
    ...Array.from({ length: 10 }, () => refused),
    { ...flood, address: '10.0.0.2' },
  ]);
  log.flush();
  expect(take()).toMatchObject([
    { ...refused, msg: 'refused (summary)', count: 1_000, logged: 10, first: expect.any(Number) },
    { ...flood, address: '10.0.0.1', count: 500, logged: 0, last: expect.any(Number) },
  ]);
  log.add({ reason: 'flood', at: 'connection', address: '10.0.0.1' });
  expect(take()).toMatchObject([flood]);
});

test('refusals of very many addresses and reasons are a bounded number of lines, and all are counted', () => {
  const { log, take } = logged();
  for (let at = 0; at < 5_000; at++) {
    log.add({ reason: 'token_invalid', at: 'call', address: `2001:db8:0:${at.toString(16)}::1` });
  }
  for (let at = 0; at < 5_000; at++) log.add({ reason: `reason ${at}`, at: 'call', address: '10.0.0.1' });
  const inFull = take();
  log.flush();
  const sums = take();
  expect(inFull.length + sums.length).toBeLessThan(1_000);
  expect(sums.find(({ address }) => address === 'other addresses')).toMatchObject({ reason: 'any' });
  const counted = sums.reduce((sum, { count, logged: one }) => sum + Number(count) - Number(one), 0);
  expect(counted + inFull.length).toBe(10_000);
});

test('refused calls of one address are few lines with their sum at the end; accepted ones are none, but for an ignored field', async () => {
  await using directory = await temporaryDirectory();
  await using server = await serveGantry(directory.path, { LOG_LEVEL: 'info', GANTRY_DEMO: 'off' });
  for (let at = 0; at < 60; at++) {
    await post(`${server.url}/launcher/set-user-score`, {});
    await post(`${server.url}/launcher/get-activities`, {});
    await post(`${server.url}/launcher/get-games`, { limits: at });
  }
  const { stderr } = await server.end('SIGTERM');
  const lines = stderr
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === 'call')).toHaveLength(10);
  const ignored = lines.filter(({ msg }) => String(msg).includes('ignores'));
  expect(ignored).toEqual([
    expect.objectContaining({ operation: 'getGames', field: 'limits', nearest: 'limit', level: 40 }),
  ]);
  expect(lines.at(-1)).toMatchObject({
    msg: 'refused (summary)',
    at: 'call',
    address: '127.0.0.1',
    count: 60,
    logged: 10,
  });
});
