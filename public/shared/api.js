/** The default timeout, in milliseconds. */
const defaultTimeoutMs = 15_000;

/** A call was rejected, or got no response. `message` is for people; programs branch on `reason`. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{ reason?: string, code?: number, errors?: readonly { path: string, message: string }[], version?: number | undefined }} [details]
   */
  constructor(message, { reason = 'unknown', code = 0, errors = [], version } = {}) {
    super(message);
    this.name = 'ApiError';
    /** The server's `data.reason`; without a response, `timed_out` or `connection_lost`. */
    this.reason = reason;
    /** The HTTP status; 0 without a response. */
    this.code = code;
    /** The invalid fields. */
    this.errors = errors;
    /** The current version, for a `version_conflict`. */
    this.version = version;
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
  return request(path, {
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
  return request(path, options);
}

/**
 * @param {string} path
 * @param {RequestInit & { timeoutMs?: number }} options
 */
async function request(path, { timeoutMs = defaultTimeoutMs, ...init }) {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  let response;
  let body;
  try {
    response = await fetch(path, { ...init, signal });
    body = await response.json();
  } catch (error) {
    if (init.signal?.aborted) throw error;
    if (timeout.aborted)
      throw new ApiError(`The server did not respond within ${timeoutMs / 1000} s.`, {
        reason: 'timed_out',
      });
    throw new ApiError('Cannot reach the server. It may be restarting, or you may be offline.', {
      reason: 'connection_lost',
    });
  }
  if (response.ok) return body;
  throw new ApiError(messageFrom(body, response.status), {
    reason: body?.data?.reason,
    code: response.status,
    errors: body?.errors,
    version: body?.data?.version,
  });
}

/**
 * @param {{ message?: string } | null} body
 * @param {number} status
 */
function messageFrom(body, status) {
  return body?.message ?? `The server responded with status ${status}.`;
}
