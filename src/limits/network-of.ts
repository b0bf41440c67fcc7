import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Asked several times with every call, mostly for the same addresses. */
const known = new LRUCache<string, string>({ max: 10_000 });

/**
 * The network a caller's address is counted as: IPv6 by its /64, which is what one customer is assigned, an
 * IPv4-mapped address as IPv4, and IPv4 as it is. A port that some proxies append is dropped, and so is the zone
 * of a link-local address.
 */
export function networkOf(written: string): string {
  let network = known.get(written);
  if (network === undefined) {
    network = read(written);
    known.set(written, network);
  }
  return network;
}

function read(written: string): string {
  const address = /^(?:\[(.+)\]|([\d.]+)):\d+$/.exec(written)?.slice(1).find(Boolean) ?? written;
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}
