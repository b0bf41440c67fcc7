import type { IncomingMessage } from 'node:http';
import { GantryError, toGantryError } from '../../errors.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { refuseRequest } from '../../runtime/internals/engine-io.ts';
import type { Refusal } from '../../telemetry/refusals.ts';

export interface RequestAdmission {
  limits: Pick<RateLimits, 'countOpening'>;
  /** How many connections from the request's address are open. */
  connectionsOf(address: string): number;
  /** The most connections from one address. */
  connectionsPerAddress: number;
  addressOf(request: IncomingMessage): string;
  report(thrown: unknown): void;
  onRefused(refusal: Refusal): void;
}

/**
 * Looks at the request that would open a connection, before anything is made of it: Socket.IO's `allowRequest`. What is
 * refused is answered with the error body of every refused call, over HTTP with its status.
 */
export function admitRequests(
  parts: RequestAdmission,
): (request: IncomingMessage, done: (message: null, isAdmitted: true) => void) => void {
  return (request, done) => {
    // Between being handed over by Node and by engine.io nobody else listens, and an error would end the process.
    const ignore = () => undefined;
    request.socket.on('error', ignore);
    check(request, parts).then(
      () => {
        request.socket.off('error', ignore);
        done(null, true);
      },
      (thrown: unknown) => {
        const error = toGantryError(thrown, parts.report);
        parts.onRefused({ reason: error.reason, at: 'connection', address: parts.addressOf(request) });
        refuseRequest(request, error.code, error.toJSON(), error.retryAfterSeconds);
      },
    );
  };
}

/** @throws GantryError `input_invalid`, `rate_limited` */
async function check(
  request: IncomingMessage,
  { limits, connectionsOf, connectionsPerAddress, addressOf }: RequestAdmission,
): Promise<void> {
  const address = addressOf(request);
  await limits.countOpening(address);
  // A page of another origin could run such an answer as a script.
  if (new URL(request.url ?? '', 'http://host').searchParams.has('j')) {
    throw new GantryError(
      'input_invalid',
      'JSONP is not served here; use WebSocket, or long polling without j',
    );
  }
  if (connectionsOf(address) >= connectionsPerAddress) {
    throw new GantryError(
      'rate_limited',
      `${connectionsPerAddress} connections from your address are open, which is the most there may be: close some, or ` +
        `try again in ${retrySeconds} s`,
      { retryAfterSeconds: retrySeconds },
    );
  }
}

/** When to look again whether connections of the same address were closed. */
const retrySeconds = 10;
