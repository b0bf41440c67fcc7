import type { Server } from 'node:http';
import { networkOf } from '../../core/network-of.ts';

/**
 * Bounds the TCP connections from one client network: idle ones stay open for as long as proxies reuse them, and each
 * takes a file descriptor. One beyond `most` is closed at once, before it has sent anything. Connections of trusted
 * proxies are not counted: they carry the requests of many clients.
 */
export function limitConnections(http: Server, { most, isProxy, onRefused }: ConnectionLimit): void {
  const open = new Map<string, number>();
  http.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= most) {
      socket.destroy();
      onRefused(address);
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}

export interface ConnectionLimit {
  most: number;
  isProxy(address: string): boolean;
  onRefused(address: string): void;
}
