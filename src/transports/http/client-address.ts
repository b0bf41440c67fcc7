import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

/**
 * The address of the client in front of the trusted proxies (addresses, networks or names of `proxy-addr`). Without
 * trusted proxies `X-Forwarded-For` is ignored, since any client can set it.
 */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, trusted);
}

/** Tells whether an address is one of the trusted proxies. */
export function isTrustedProxy(trustedProxies: readonly string[]): (address: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const trusted = proxyAddr.compile([...trustedProxies]);
  return (address) => address !== '' && trusted(address, 0);
}
