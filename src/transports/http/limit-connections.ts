import type { Server } from 'node:http';
import { ConnectionCounts } from './connection-counts.ts';

export interface ConnectionLimit {
  /** The maximum number of open connections from one client network. */
  most: number;
  /** Whether an address is a trusted proxy's. */
  isProxy(address: string): boolean;
  onRefused(address: string): void;
}

/**
 * Bounds the TCP connections from one client network: idle ones stay open for as long as proxies reuse them, and each
 * takes a file descriptor. One beyond `most` is closed at once, before it has sent anything. Connections of trusted
 * proxies are not counted: they carry the requests of many clients.
 */
export function limitConnections(http: Server, { most, isProxy, onRefused }: ConnectionLimit): void {
  const open = new ConnectionCounts();
  http.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    if (open.of(address) >= most) {
      socket.destroy();
      onRefused(address);
      return;
    }
    open.addSocket(address, socket);
  });
}
