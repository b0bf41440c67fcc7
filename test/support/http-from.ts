import { request } from 'node:http';
import type { Answer } from './http.ts';

/**
 * POSTs JSON from one of this machine's loopback addresses, as if from another computer (all of 127.0.0.0/8 is local).
 * Every call uses a separate connection.
 */
export function postFrom(
  localAddress: string,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const requested = request(url, { method: 'POST', localAddress, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () => {
        const fields = Object.entries(response.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(fields),
          body: JSON.parse(text),
        });
      });
    });
    requested.once('error', reject);
    requested.end(JSON.stringify(body));
  });
}
