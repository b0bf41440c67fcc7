import ipaddr from 'ipaddr.js';
import { z } from 'zod';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** What webhooks may reach although it is not public. */
export interface AllowedHosts {
  networks: readonly Network[];
  /** In lower case; whatever they resolve to. */
  names: ReadonlySet<string>;
}

export const noHosts: AllowedHosts = { networks: [], names: new Set() };

const hostName = /^(?=.{1,253}$)([a-z0-9_-]{1,63}\.)*(?!\d+$)[a-z0-9_-]{1,63}$/;

/** Networks (CIDR), addresses and host names, separated by commas. */
export const allowedHosts = z.string().transform((text, context): AllowedHosts => {
  const networks: Network[] = [];
  const names = new Set<string>();
  for (const entry of text.split(',').map((one) => one.trim().toLowerCase())) {
    const network = networkOf(entry);
    if (network) networks.push(network);
    else if (hostName.test(entry)) names.add(entry);
    else {
      const message = `must be networks (10.0.0.0/8), addresses and host names, separated by commas; ${JSON.stringify(entry)} is none`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  }
  return { networks, names };
});

export function allowsAddress({ networks }: AllowedHosts, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return networks.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
  );
}

/** Null for short forms of addresses, such as `127.1`, which may have been meant as networks. */
function networkOf(entry: string): Network | null {
  const [address = '', bits] = entry.split('/');
  const { IPv4, IPv6 } = ipaddr;
  const width = IPv4.isValidFourPartDecimal(address) ? 32 : IPv6.isValid(address) ? 128 : null;
  if (width === null) return null;
  const network = `${address}/${bits ?? width}`;
  return ipaddr.isValidCIDR(network) ? ipaddr.parseCIDR(network) : null;
}
