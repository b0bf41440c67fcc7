import { createHash, createHmac, randomUUID } from 'node:crypto';

/** The headers of a signed request, as the contract (INTERFACE.md section 5, DESIGN.md) describes them. */
export type SigningHeaders = Record<string, string>;

/** hex MD5(nonce + hex MD5(secret)) */
export function md5Signed(secret: string, nonce: string = randomUUID()): SigningHeaders {
  return { 'X-Request-Nonce': nonce, 'X-Request-Signature': md5(nonce + md5(secret)) };
}

/** `sha256=` and hex HMAC-SHA256(secret, timestamp + "." + nonce + "." + body) */
export function hmacSigned(
  secret: string,
  body: string,
  { nonce = randomUUID(), timestamp = String(Date.now()) }: { nonce?: string; timestamp?: string } = {},
): SigningHeaders {
  const signature = createHmac('sha256', secret).update(`${timestamp}.${nonce}.${body}`).digest('hex');
  return {
    'X-Request-Nonce': nonce,
    'X-Request-Timestamp': timestamp,
    'X-Request-Signature': `sha256=${signature}`,
  };
}

/** What the scheme for whole requests signs; omitted parts are not sent. */
export interface SignedRequest {
  method?: string;
  /** Including its query. */
  path: string;
  serviceMethod?: string;
  /** The value of the `X-Launcher-Jwt` header. */
  launcherJwt?: string;
  body?: string;
}

/** `v2=` and hex HMAC-SHA256(secret, the parts of the request, one per line) */
export function wholeSigned(
  secret: string,
  { method = 'POST', path, serviceMethod = '', launcherJwt = '', body = '' }: SignedRequest,
  { nonce = randomUUID(), timestamp = String(Date.now()) }: { nonce?: string; timestamp?: string } = {},
): SigningHeaders {
  const [, plain, query = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? [];
  const digest = createHash('sha256').update(body).digest('hex');
  const lines = ['v2', timestamp, nonce, method, plain, query, serviceMethod, launcherJwt, digest];
  return {
    'X-Request-Nonce': nonce,
    'X-Request-Timestamp': timestamp,
    'X-Request-Signature': `v2=${createHmac('sha256', secret).update(lines.join('\n')).digest('hex')}`,
  };
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
