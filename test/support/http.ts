import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

/** A response of the server, with its whole body. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Connections are kept for the next call to the same server. */
const agent = new Agent({ keepAlive: true });

/** POSTs JSON; a string is sent unchanged. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return call('POST', url, { 'Content-Type': 'application/json', ...headers }, text);
}

export function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return call('GET', url, headers);
}

/** Tests call very often: `fetch` takes twice the processor time. Redirects are not followed, nothing is unpacked. */
function call(method: string, url: string, headers: OutgoingHttpHeaders, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('error', reject).once('end', () => {
        const isJson = response.headers['content-type']?.includes('json') ?? false;
        const fields = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        try {
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(fields),
            body: isJson ? JSON.parse(text) : text,
          });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.once('error', reject).end(body);
  });
}
