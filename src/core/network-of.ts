import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Networks are looked up several times per call, mostly for the same addresses. */
const known = new LRUCache<string, string>({ max: 10_000 });

/**
 * The network that a caller's address is counted under: the /64 of an IPv6 address, which is what one customer is
 * assigned; IPv4 for an IPv4-mapped address; IPv4 unchanged. A port appended by a proxy and the zone of a link-local
 * address are dropped.
 */
export function networkOf(text: string): string {
  let network = known.get(text);
  if (network === undefined) {
    network = parseNetwork(text);
    known.set(text, network);
  }
  return network;
}

function parseNetwork(text: string): string {
  const address = /^(?:\[(.+)\]|([\d.]+)):\d+$/.exec(text)?.slice(1).find(Boolean) ?? text;
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}
