import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port and prints its address, as Gantry does. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
  });
}
