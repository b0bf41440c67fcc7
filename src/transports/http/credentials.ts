import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../../auth/authenticator.ts';

/** What a request with these bytes says of who sends it; the token is in the input (INTERFACE.md section 5). */
export function credentialsOf(
  request: IncomingMessage,
  launcherJwt: unknown,
  body: Buffer,
  games: readonly string[],
): Credentials {
  const { headers } = request;
  return {
    launcherJwt,
    games,
    // Node would keep the first of several, and a proxy in front may have looked at the last.
    authorization: headers.authorization && request.headersDistinct.authorization?.join(', '),
    origin: headers.origin,
    signature: {
      nonce: single(headers['x-request-nonce']),
      signature: single(headers['x-request-signature']),
      timestamp: single(headers['x-request-timestamp']),
      method: request.method ?? '',
      url: request.url ?? '',
      serviceMethod: single(headers['x-service-method']),
      launcherJwt: single(headers['x-launcher-jwt']),
      body,
    },
  };
}

/** The header `Idempotency-Key`; empty counts as left out. */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  return single(headers['idempotency-key']) || undefined;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
