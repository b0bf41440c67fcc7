import { Agent, request } from 'node:http';
import type { HttpRequest } from './loads/jobs.ts';

/**
 * Sends requests in sequence over one connection, and returns how long each took to its last byte, in milliseconds:
 * what a single caller experiences on an otherwise idle server.
 */
export async function latencies(url: string, requests: readonly HttpRequest[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const taken: number[] = [];
  for (const one of requests) {
    const sentAt = performance.now();
    await send(url, one, agent);
    taken.push(performance.now() - sentAt);
  }
  agent.destroy();
  return taken;
}

function send(url: string, { method, path, headers, body }: HttpRequest, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${method} ${path}: ${response.statusCode}`));
      response.resume().once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
