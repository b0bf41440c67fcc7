import type { Request, Response } from 'express';
import type { LimitState } from '../../limits/rate-limits.ts';
import type { AnyOperation } from '../../operations/define.ts';
import type { CallStyle, Execute } from '../../operations/execute.ts';
import { credentialsOf } from './credentials.ts';
import { sendJson } from './respond.ts';

/** What the path and the body of a request asked for. */
export interface Asked {
  operation: AnyOperation;
  style: CallStyle;
  input: Readonly<Record<string, unknown>>;
  /** The launcher token, wherever it came in. */
  token: unknown;
}

/** Carries out what was asked for and answers it. Failures are left to the error handler. */
export async function answer(
  request: Request,
  response: Response,
  execute: Execute,
  { operation, style, input, token }: Asked,
): Promise<void> {
  const result = await execute({
    operation,
    style,
    input,
    credentials: credentialsOf(request, token),
    address: request.ip ?? '',
    onLimit: (state) => setLimitHeaders(response, state),
  });
  sendJson(response, 200, result);
}

/** draft-ietf-httpapi-ratelimit-headers: what is allowed, what is left of it, and when it begins anew. */
function setLimitHeaders(response: Response, { limit, remaining, resetSeconds }: LimitState): void {
  response.setHeader('RateLimit-Policy', `"default";q=${limit.points};w=${limit.seconds}`);
  response.setHeader('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
}
