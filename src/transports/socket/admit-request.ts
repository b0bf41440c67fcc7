import type { IncomingMessage } from 'node:http';
import type { RateLimits } from '../../calls/limits/rate-limits.ts';
import { GantryError, toGantryError } from '../../core/errors.ts';
import { refuseRequest } from '../../runtime/internals/engine-io.ts';
import type { Refusal } from '../../telemetry/refusals.ts';

export interface RequestAdmission {
  limits: Pick<RateLimits, 'countOpening'>;
  /** The number of open connections from an address. */
  connectionsOf(address: string): number;
  /** The maximum number of open connections from one address. */
  connectionsPerAddress: number;
  addressOf(request: IncomingMessage): string;
  report(thrown: unknown): void;
  onRefused(refusal: Refusal): void;
}

/**
 * Checks the HTTP request that opens a connection, as Socket.IO's `allowRequest`, before the connection is created. A
 * refused request gets the standard error body with its HTTP status.
 */
export function admitRequests(
  admission: RequestAdmission,
): (request: IncomingMessage, done: (message: null, isAdmitted: true) => void) => void {
  return (request, done) => {
    // Until engine.io takes over the socket, nothing else handles its errors, and an unhandled one would end the
    // process.
    const ignore = () => undefined;
    request.socket.on('error', ignore);
    check(request, admission).then(
      () => {
        request.socket.off('error', ignore);
        done(null, true);
      },
      (thrown: unknown) => {
        const error = toGantryError(thrown, admission.report);
        admission.onRefused({
          reason: error.reason,
          at: 'connection',
          address: admission.addressOf(request),
        });
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
  // A page of another origin could run a JSONP response as a script.
  if (new URL(request.url ?? '', 'http://host').searchParams.has('j')) {
    throw new GantryError(
      'input_invalid',
      'JSONP is not supported; use WebSocket, or long polling without j',
    );
  }
  if (connectionsOf(address) >= connectionsPerAddress) {
    throw new GantryError(
      'rate_limited',
      `The limit of ${connectionsPerAddress} connections from your address is reached: close some, or try again in ` +
        `${retrySeconds} s`,
      { retryAfterSeconds: retrySeconds },
    );
  }
}

/** When a client may retry after its address had too many connections. */
const retrySeconds = 10;
