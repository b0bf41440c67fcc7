import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const delivered = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.json()),
});

/** A delivery as a receiver accepts it: only verified requests become one. */
export interface Received extends z.infer<typeof delivered> {
  id: string;
  at: number;
}

/** A real HTTP server that receives webhooks as the Standard Webhooks library prescribes. */
export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/hooks` */
  url: string;
  port: number;
  /** A delivery verifies when it is signed with one of these. */
  secrets: string[];
  /** Deliveries that verified, in order. */
  received: Received[];
  /** The raw signature headers, in order. */
  signatures: string[];
  /** Requests that did not verify. */
  refused: string[];
  /** TCP connections, whatever was sent on them. */
  connections(): number;
  /** How to respond; 204 unless a test says otherwise. */
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  down(): Promise<void>;
  up(): Promise<void>;
}

export async function startWebhookReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  let connections = 0;
  let port = 0;
  let server: Server;
  const receiver: WebhookReceiver = {
    url: '',
    port: 0,
    secrets: [],
    received: [],
    signatures: [],
    refused: [],
    connections: () => connections,
    answer: (_request, response) => response.writeHead(204).end(),
    async down() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
    async up() {
      server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const body = Buffer.concat(chunks).toString();
        take(request, body);
        receiver.answer(request, response, body);
      });
      server.on('connection', () => {
        connections++;
      });
      server.listen(port, host);
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    },
    [Symbol.asyncDispose]: () => receiver.down(),
  };

  function take({ headers }: IncomingMessage, body: string): void {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    receiver.signatures.push(sent['webhook-signature'] ?? '');
    for (const secret of receiver.secrets) {
      try {
        const payload = delivered.parse(new Webhook(secret).verify(body, sent));
        receiver.received.push({ ...payload, id: sent['webhook-id'] ?? '', at: Date.now() });
        return;
      } catch {
        // Possibly signed with another secret.
      }
    }
    receiver.refused.push(body);
  }

  await receiver.up();
  receiver.port = port;
  receiver.url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/hooks`;
  return receiver;
}
