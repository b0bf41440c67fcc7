import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Asks for all addresses of a name; `dns.lookup` is one. Tests give their own. */
export type Resolve = (
  name: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** An address is not to be called; the message says which, for administrators. */
class AddressRefusedError extends Error {}

/** Global unicast (RFC 4291, as IANA has allocated it): whatever lies outside leads somewhere special. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Public as a number, but answered inside Azure's networks by the host of the virtual machine
 * (learn.microsoft.com "What is IP address 168.63.129.16?").
 */
const platformAddresses = ['168.63.129.16'];

/**
 * Keeps requests whose address a stranger chose away from the networks this server stands in: it answers
 * lookups with public addresses only, at the moment of connecting, so that what a name resolves to then
 * counts and not what it resolved to when it was checked.
 */
export class AddressGuard {
  readonly #allowLoopback: boolean;
  readonly #resolve: Resolve;

  /** `allowLoopback` lets 127.0.0.0/8 and ::1 through as well, for development. */
  constructor(allowLoopback: boolean, resolve: Resolve = systemLookup) {
    this.#allowLoopback = allowLoopback;
    this.#resolve = resolve;
  }

  /** Why nothing may be sent to this URL, as far as that shows without a lookup; null: nothing is wrong so far. */
  refusalOf(url: URL): string | null {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(host)) return this.isAllowed(host) ? null : refusal(host);
    const isLocal = /(^|\.)localhost\.?$/i.test(host); // RFC 6761: always this machine
    return isLocal && !this.#allowLoopback ? refusal(host) : null;
  }

  /** Whether a numeric address may be called. */
  isAllowed(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    const range = parsed.range();
    if (range === 'loopback') return this.#allowLoopback;
    if (range !== 'unicast' || platformAddresses.includes(address)) return false;
    return parsed instanceof ipaddr.IPv4 || (parsed as ipaddr.IPv6).match(globalUnicast);
  }

  /** For sockets: resolves a name to those of its addresses that may be called. Not asked for numeric hosts. */
  readonly lookup: LookupFunction = (name, options, done) => {
    this.#resolve(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      const allowed = found.filter(({ address }) => this.isAllowed(address));
      const [first] = allowed;
      if (!first) return done(new AddressRefusedError(refusal(name)), '', 0);
      if (options.all) return done(null, allowed);
      done(null, first.address, first.family);
    });
  };
}

function refusal(host: string): string {
  return `${host} is not a public address`;
}
