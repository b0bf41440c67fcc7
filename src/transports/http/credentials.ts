import type { Request } from 'express';
import type { Credentials } from '../../auth/authenticator.ts';

/** What a request says of who sends it; the token is in the input (INTERFACE.md section 5). */
export function credentialsOf(request: Request, launcherJwt: unknown): Credentials {
  const { headers } = request;
  return {
    launcherJwt,
    authorization: headers.authorization,
    origin: headers.origin,
    signature: {
      nonce: single(headers['x-request-nonce']),
      signature: single(headers['x-request-signature']),
      timestamp: single(headers['x-request-timestamp']),
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    },
  };
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
