import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { otherServers, runningServerUrl, writeServerAddress } from '../../src/server/server-address.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('a killed server whose process id is in use again is not another server at the address of its successor', async () => {
  await using directory = await temporaryDirectory();
  await using server = await startTestServer();
  const killed = { url: server.url, pid: process.ppid };
  writeFileSync(join(directory.path, 'server-address.json'), JSON.stringify([killed]));
  expect(await otherServers(directory.path)).toEqual([server.url]);
  writeServerAddress(directory.path, server.url);
  expect(await otherServers(directory.path)).toEqual([]);
  expect(runningServerUrl(directory.path)).toBe(server.url);
});
