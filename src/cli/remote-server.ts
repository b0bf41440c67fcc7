import { z } from 'zod';
import { type AnyOperation, kebabCase } from '../features/operation.ts';
import type { Execute } from './as-administrator.ts';

const defaultTimeoutMs = 30_000;

/** What a server continues to do after the response timed out, by operation name. */
const continuesWith: Readonly<Record<string, string>> = {
  deleteGame:
    'The server is still deleting the game, which stays archived until this is complete: see gantry game list',
  erasePlayer: 'The server is still erasing the player, who stays banned until this is complete',
  makeBackup: 'The server is still creating the backup',
};

const errorBody = z.object({ success: z.literal(false), message: z.string() });

/** A remote server rejected a command, or could not be reached; the message says which. */
export class RemoteError extends Error {}

/**
 * Executes operations on a remote server; `token` is sent with admin operations only.
 * @param timeoutMs how long the server may take to respond
 */
export function executeOn(serverUrl: URL, token: string, timeoutMs: number = defaultTimeoutMs): Execute {
  return async (operation: AnyOperation, input: unknown) => {
    const isAdminOperation = operation.auth === 'admin';
    const path = `${isAdminOperation ? 'admin' : 'launcher'}/${kebabCase(operation.name)}`;
    const base = serverUrl.href.endsWith('/') ? serverUrl.href : `${serverUrl.href}/`;
    const response = await post(new URL(path, base), input, {
      token: isAdminOperation ? token : null,
      timeoutMs,
    });
    if (response === 'timeout') {
      const reason = `${serverUrl.origin} has not answered within ${timeoutMs / 1000} s`;
      throw new RemoteError(`${reason}. ${describeOutcome(operation)}`);
    }
    const { status, body } = response;
    if (status === 200) return body;
    const error = errorBody.safeParse(body);
    if (!error.success) {
      throw new RemoteError(`${serverUrl.origin} answered with status ${status}, but is not a Gantry server`);
    }
    throw new RemoteError(error.data.message);
  };
}

function describeOutcome({ name, kind }: AnyOperation): string {
  if (kind === 'read') return 'Try again';
  return continuesWith[name] ?? 'It may have executed the command: check before you repeat it';
}

async function post(
  url: URL,
  input: unknown,
  { token, timeoutMs }: { token: string | null; timeoutMs: number },
): Promise<{ status: number; body: unknown } | 'timeout'> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
      redirect: 'error', // never send the token to another address
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { status: response.status, body: parseJson(text) };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new RemoteError(
      `${url.origin} cannot be reached: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
