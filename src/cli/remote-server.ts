import { z } from 'zod';
import type { AnyOperation } from '../operations/define.ts';
import { kebabCase } from '../operations/registry.ts';
import type { Execute } from './as-administrator.ts';

const answerWithinMs = 30_000;

const errorBody = z.object({ success: z.literal(false), message: z.string() });

/** A server at a URL refused a command, or could not be reached; the message says which. */
export class RemoteError extends Error {}

/** Carries out operations on the server at a URL, administrators' ones with its admin token. */
export function executeOn(serverUrl: URL, token: string): Execute {
  return async (operation: AnyOperation, input: unknown) => {
    const isForAdministrators = operation.auth === 'admin';
    const path = `${isForAdministrators ? 'admin' : 'launcher'}/${kebabCase(operation.name)}`;
    const base = serverUrl.href.endsWith('/') ? serverUrl.href : `${serverUrl.href}/`;
    const { status, body } = await post(new URL(path, base), input, isForAdministrators ? token : null);
    if (status === 200) return body;
    const refused = errorBody.safeParse(body);
    if (!refused.success) {
      throw new RemoteError(`${serverUrl.origin} answered with status ${status}, and not as Gantry does`);
    }
    throw new RemoteError(refused.data.message);
  };
}

async function post(url: URL, input: unknown, token: string | null) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
      redirect: 'error', // the token is for this address
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.text();
    return { status: response.status, body: jsonIn(text) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new RemoteError(
      `${url.origin} cannot be reached: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
