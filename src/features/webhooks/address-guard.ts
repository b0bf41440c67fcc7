import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AllowedHosts, allowsAddress, noHosts } from './allowed-hosts.ts';

/** Resolves all addresses of a name, as `dns.lookup` does. Tests pass their own. */
export type Resolve = (
  name: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface AddressGuardOptions {
  /** Also allows 127.0.0.0/8 and ::1, for development. */
  allowLoopback?: boolean;
  allowed?: AllowedHosts;
  resolve?: Resolve;
}

/** An address must not be called; the message names it, for administrators. */
class AddressRefusedError extends Error {}

/** Global unicast (RFC 4291, as allocated by IANA): all addresses outside it are special-purpose. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Public addresses that reach internal services: Azure's virtual machine host
 * (learn.microsoft.com "What is IP address 168.63.129.16?").
 */
const platformAddresses = ['168.63.129.16'];

/**
 * Prevents server-side request forgery: keeps requests to user-supplied URLs out of this server's networks, except for
 * what the operator allows. Names resolve to public and allowed addresses only, checked at connect time, so that DNS
 * rebinding after an earlier check has no effect.
 */
export class AddressGuard {
  readonly #allowLoopback: boolean;
  readonly #allowed: AllowedHosts;
  readonly #resolve: Resolve;

  constructor({
    allowLoopback = false,
    allowed = noHosts,
    resolve = systemLookup,
  }: AddressGuardOptions = {}) {
    this.#allowLoopback = allowLoopback;
    this.#allowed = allowed;
    this.#resolve = resolve;
  }

  /** Why nothing may be sent to this URL, as far as is known without a lookup; null: no reason found. */
  refusalOf(url: URL): string | null {
    const host = hostOf(url);
    if (ipaddr.isValid(host)) return this.isAllowed(host) ? null : refusal(host);
    const isLocal = /(^|\.)localhost\.?$/i.test(host); // RFC 6761: always this machine
    return isLocal && !this.#allowLoopback && !this.#isAllowedName(host) ? refusal(host) : null;
  }

  /**
   * As `refusalOf`, for what the URL's name resolves to now. Null also for a name that cannot be resolved within
   * `timeoutMs`: it may be registered later.
   */
  async refusalAfterLookup(url: URL, timeoutMs: number): Promise<string | null> {
    const host = hostOf(url);
    const known = this.refusalOf(url);
    if (known !== null || ipaddr.isValid(host)) return known;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), timeoutMs);
      this.lookup(host, { all: true }, (error) => {
        clearTimeout(timer);
        resolve(error instanceof AddressRefusedError ? error.message : null);
      });
    });
  }

  /** Whether a numeric address may be called. */
  isAllowed(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    if (allowsAddress(this.#allowed, parsed)) return true;
    const range = parsed.range();
    if (range === 'loopback') return this.#allowLoopback;
    if (range !== 'unicast' || platformAddresses.includes(address)) return false;
    return parsed instanceof ipaddr.IPv4 || (parsed as ipaddr.IPv6).match(globalUnicast);
  }

  /** For sockets: resolves a name to those of its addresses that may be called. Not called for numeric hosts. */
  readonly lookup: LookupFunction = (name, options, done) => {
    this.#resolve(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      const allowed = this.#isAllowedName(name)
        ? found
        : found.filter(({ address }) => this.isAllowed(address));
      const [first] = allowed;
      if (!first) return done(new AddressRefusedError(refusal(name)), '', 0);
      if (options.all) return done(null, allowed);
      done(null, first.address, first.family);
    });
  };

  #isAllowedName(name: string): boolean {
    return this.#allowed.names.has(name.toLowerCase().replace(/\.$/, ''));
  }
}

/** The host as it is resolved, and as `ipaddr.js` reads it. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function refusal(host: string): string {
  return `${host} is not a public address`;
}
