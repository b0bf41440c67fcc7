import type { Server } from 'node:http';
import { createServer } from '../../runtime/node-http.ts';

/** The metrics as Prometheus scrapes them. */
export interface Scrape {
  contentType: string;
  text(): Promise<string>;
}

/** A separate port for Prometheus. It requires no token, so it must be on a network that players cannot reach. */
export function metricsServer(scrape: Scrape, report: (thrown: unknown) => void): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Only GET /metrics is served here\n');
      return;
    }
    scrape.text().then(
      (text) => response.writeHead(200, { 'Content-Type': scrape.contentType }).end(text),
      (thrown: unknown) => {
        report(thrown);
        response.writeHead(500).end();
      },
    );
  });
}
