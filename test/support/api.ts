import { type Answer, get, post } from './http.ts';

/** A server's HTTP interface, called with exactly the paths and headers of INTERFACE.md. */
export interface Api {
  /** POSTs to a path such as `/launcher/set-user-score`; a string is sent unchanged. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** POSTs to `/launcher`, or to another service, with `X-Service-Method`. */
  dispatch(
    method: string,
    body: unknown,
    options?: { service?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends any request exactly as given. */
  request(path: string, init: RequestInit): Promise<Answer>;
}

export function apiOf({ url }: { url: string }): Api {
  return {
    post: (path, body, headers) => post(url + path, body, headers),
    dispatch: (method, body, { service = 'launcher', headers = {} } = {}) =>
      post(`${url}/${service}`, body, { 'X-Service-Method': method, ...headers }),
    get: (path, headers) => get(url + path, headers),
    async request(path, init) {
      const response = await fetch(url + path, init);
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
  };
}
