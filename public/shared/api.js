/** How long an answer may take where a caller says nothing else, in milliseconds. */
const usualTimeoutMs = 15_000;

/** A call was refused, or no answer came. `message` is for people; programs branch on `reason`. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{ reason?: string, code?: number, errors?: readonly { path: string, message: string }[] }} [details]
   */
  constructor(message, { reason = 'unknown', code = 0, errors = [] } = {}) {
    super(message);
    this.name = 'ApiError';
    /** The server's `data.reason`; without an answer, `timed_out` or `connection_lost`. */
    this.reason = reason;
    /** The HTTP status; 0 without an answer. */
    this.code = code;
    /** Which fields were wrong. */
    this.errors = errors;
  }
}

/**
 * Posts JSON to a path of this server: `/launcher/get-states`, `/admin/list-games`.
 * @param {string} path
 * @param {object} [body]
 * @param {{ headers?: Record<string, string>, signal?: AbortSignal, timeoutMs?: number }} [options]
 * @returns {Promise<any>}
 * @throws {ApiError}
 */
export function post(path, body = {}, { headers = {}, signal, timeoutMs } = {}) {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
    ...(timeoutMs && { timeoutMs }),
  });
}

/**
 * Reads JSON from a path of this server: `/readyz`, `/activities?gameId=…`.
 * @param {string} path
 * @param {{ headers?: Record<string, string>, signal?: AbortSignal }} [options]
 * @returns {Promise<any>}
 * @throws {ApiError}
 */
export function get(path, options = {}) {
  return ask(path, options);
}

/**
 * @param {string} path
 * @param {RequestInit & { timeoutMs?: number }} options
 */
async function ask(path, { timeoutMs = usualTimeoutMs, ...init }) {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  let response;
  let body;
  try {
    response = await fetch(path, { ...init, signal, cache: 'no-store' });
    body = await response.json();
  } catch (error) {
    if (init.signal?.aborted) throw error;
    if (timeout.aborted)
      throw new ApiError(`The server has not answered within ${timeoutMs / 1000} s.`, {
        reason: 'timed_out',
      });
    throw new ApiError('The server cannot be reached. It may be restarting, or you may be offline.', {
      reason: 'connection_lost',
    });
  }
  if (response.ok) return body;
  throw new ApiError(inWords(body, response.status), {
    reason: body?.data?.reason,
    code: response.status,
    errors: body?.errors,
  });
}

/**
 * @param {{ message?: string } | null} body
 * @param {number} status
 */
function inWords(body, status) {
  return body?.message ?? `The server answered ${status} without saying why.`;
}
