import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { haproxyMissing, startHaproxy } from '../support/haproxy.ts';
import { get } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';

if (haproxyMissing !== null)
  process.stderr.write(`The tests behind HAProxy are skipped: ${haproxyMissing}\n`);

test.skipIf(haproxyMissing !== null)(
  'behind HAProxy, as shipped, callers of a node that is down get the other one',
  async () => {
    await using node = await startTestServer();
    const port = Number(new URL(node.url).port);
    const down = await freePort();
    // The address of this machine belongs to one of the two.
    for (const [one, two] of [
      [port, down],
      [down, port],
    ] as const) {
      await using proxy = await startHaproxy(one, two);
      expect((await get(`${proxy.url}/healthz`)).status).toBe(200);
    }
  },
);
