import { expect, test } from 'vitest';
import { frame, opcodes, openRawWebSocket } from '../support/raw-websocket.ts';
import { startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const MiB = 1024 * 1024;
/** More than the buffers of the operating system hold in both directions. */
const sentAtMost = 256 * MiB;

test('a client that sends WebSocket pings and reads none of the pongs is disconnected', async () => {
  await using server = await startTestServer();
  using client = await openRawWebSocket(server);
  client.socket.pause();
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => frame(opcodes.ping, 'p'.repeat(125))));
  const next = (event: string) => new Promise<void>((resolve) => client.socket.once(event, () => resolve()));
  const closed = next('close');
  let sent = 0;
  while (!client.isClosed() && sent < sentAtMost) {
    sent += pings.length;
    const wasTaken = client.socket.write(pings);
    if (!wasTaken) await Promise.race([next('drain'), closed]);
  }
  expect(client.isClosed()).toBe(true);
  const metrics = await fetch(`${server.url}/metrics`, { headers: bearer(server.adminToken) });
  expect(await metrics.text()).toMatch(/^gantry_disconnects_total\{reason="slow-reader"\} 1$/m);
});
