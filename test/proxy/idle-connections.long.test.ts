import { describe, expect, test } from 'vitest';
import { apacheMissing } from '../support/apache.ts';
import { haproxyMissing } from '../support/haproxy.ts';
import { nginxMissing } from '../support/nginx.ts';
import { proxies, runIdleConnections } from './idle-connections.ts';

const missing: Record<string, string | null> = {
  nginx: nginxMissing,
  HAProxy: haproxyMissing,
  Apache: apacheMissing,
};

// At the same time, because most of it is waiting.
describe.concurrent.each(Object.entries(proxies))('behind %s', (name, start) => {
  const reason = missing[name] ?? null;
  if (reason !== null) process.stderr.write(`The tests behind ${name} are skipped: ${reason}\n`);

  test.skipIf(reason !== null)(
    'no call fails on a connection that was idle, and no launcher misses an event over restarts of the node',
    async ({ annotate }) => {
      const options = { players: 200, bursts: 3, callsPerBurst: 4, pauseMs: 6_000 };
      const counts = await runIdleConnections(start, options);
      process.stdout.write(`${name}: ${JSON.stringify(counts)}\n`);
      await annotate(JSON.stringify(counts));
      expect(Object.keys(counts.statuses)).toEqual(['200']);
      expect(counts).toMatchObject({ calls: 2_400, missed: 0, repeated: 0, outOfOrder: 0 });
      // Otherwise the run tested nothing.
      expect(counts.statuses[200]).toBeGreaterThan(800);
      expect(counts.reconnects).toBeGreaterThanOrEqual(options.players);
    },
  );
});
