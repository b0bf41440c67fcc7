import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import { request as httpRequest } from '../../runtime/node-http.ts';
import type { AddressGuard } from './address-guard.ts';
import type { WebhookAnswer, WebhookMessage, WebhookSender } from './webhook-sender.ts';

export interface WebhookSenderOptions {
  guard: AddressGuard;
  /** From the start of the connection to the response's status. */
  timeoutMs?: number;
}

/**
 * How much of a response's body is read and discarded, and for how long, before the connection is closed. Only the
 * status counts; but a server that is still writing may abort its work when the connection is closed.
 */
const maxBodyBytes = 64 * 1024;
const maxBodyMs = 1_000;
/** How long an administrator who sets a URL waits for its name to be resolved. */
const maxLookupMs = 3_000;
const maxHeaderBytes = 16 * 1024;

/** Sends each webhook on a separate connection; follows no redirects. */
export class HttpWebhookSender implements WebhookSender {
  readonly #guard: AddressGuard;
  readonly #timeoutMs: number;

  constructor({ guard, timeoutMs = 15_000 }: WebhookSenderOptions) {
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
  }

  refusalOf(url: string): Promise<string | null> {
    return this.#guard.refusalAfterLookup(new URL(url), maxLookupMs);
  }

  async send(message: WebhookMessage, stop?: AbortSignal): Promise<WebhookAnswer> {
    // Sockets look up names only, so numeric hosts are checked here.
    const refused = this.#guard.refusalOf(new URL(message.url));
    if (refused !== null) return undelivered(refused);
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const signal = stop ? AbortSignal.any([stop, timeout]) : timeout;
    const answer = await this.#exchange(message, signal);
    if (answer.delivered || answer.status !== null || !signal.aborted) return answer;
    return undelivered(
      timeout.aborted ? `no response within ${this.#timeoutMs / 1000} s` : 'the server was stopped',
    );
  }

  #exchange({ url, id, body, secrets }: WebhookMessage, signal: AbortSignal): Promise<WebhookAnswer> {
    const now = new Date();
    const request = url.startsWith('https:') ? https.request : httpRequest;
    return new Promise((resolve) => {
      const sent = request(url, {
        method: 'POST',
        agent: false, // a separate connection, whose address is checked for this message
        lookup: this.#guard.lookup,
        maxHeaderSize: maxHeaderBytes,
        signal,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': 'Gantry-Webhooks/1',
          'webhook-id': id,
          'webhook-timestamp': Math.floor(now.getTime() / 1000),
          'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
        },
      });
      let answer: WebhookAnswer | undefined;
      sent.on('response', (response) => {
        answer = answerOf(response);
        const timer = setTimeout(() => sent.destroy(), maxBodyMs);
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBodyBytes) sent.destroy();
        });
        response.on('error', () => undefined); // closed by either side after the status was received
        response.on('close', () => {
          clearTimeout(timer);
          sent.destroy(); // the receiver may have responded before it read the request, and never read it
        });
      });
      sent.on('error', (error) => {
        answer ??= undelivered(describeError(error));
      });
      // Without a response or an error after a status such as 101, for which Node emits neither.
      sent.on('close', () => resolve(answer ?? undelivered('the connection was closed without a response')));
      sent.end(body);
    });
  }
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): WebhookAnswer {
  if (statusCode >= 200 && statusCode < 300) return { delivered: true, status: statusCode };
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return {
    delivered: false,
    status: statusCode,
    error: `responded with ${statusCode}${isRedirect ? ' (redirects are not followed)' : ''}`,
    retryAfterMs: retryAfterOf(headers['retry-after']),
  };
}

/** Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return ms >= 0 ? ms : null;
}

function undelivered(error: string): WebhookAnswer {
  return { delivered: false, status: null, error, retryAfterMs: null };
}

/** Describes a socket's error without details of this machine. */
function describeError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  // Each of several addresses was tried; the first error suffices.
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return describeError(error.errors[0]);
  return code === null || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
