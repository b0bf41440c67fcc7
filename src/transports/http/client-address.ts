import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

/**
 * Where a request comes from, the trusted proxies (addresses, networks or names of `proxy-addr`) left aside.
 * Without one, whatever `X-Forwarded-For` says is the caller's own invention.
 */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, trusted);
}
