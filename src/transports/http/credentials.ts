import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../../calls/auth/authenticator.ts';

/** The credentials of a request with this body; the token comes from the input (INTERFACE.md section 5). */
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
    // Node keeps the first of several, but a proxy in front may have checked the last.
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

/** The `Idempotency-Key` header; undefined when missing or empty. */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  return single(headers['idempotency-key']) || undefined;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
