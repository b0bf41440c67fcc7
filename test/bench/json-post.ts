import type { HttpRequest } from './loads/jobs.ts';

export function jsonPost(path: string, body: unknown, headers: Record<string, string> = {}): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
