import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from '../support/http.ts';
import type { ProbedServer } from '../support/probed-server.ts';

/** Loopback has many addresses: the innocent player uses a different one than the attackers. */
export const innocentAddress = '127.0.0.2';

export const adminToken = 'the-admin-token-of-this-suite';
export const mebibyte = 1024 * 1024;

export interface Size {
  /** How long each attack lasts. */
  seconds: number;
  /** How long the innocent player's waits are measured before it. */
  secondsBefore: number;
  /** Connections of an attack that needs many. */
  connections: number;
}

/** A server under attack. */
export interface Target {
  server: ProbedServer;
  /** The attackers'. */
  address: string;
  /** Its database. */
  file: string;
  gameId: string;
  launcherJwt: string;
  /** The innocent player's. */
  otherJwt: string;
  otherWallet: string;
}

/** Counts the attackers' responses: an HTTP status or an error's code; `none` where the connection was closed. */
export type Count = (answer: number | 'none') => void;

/** Prepares an attack, and returns the function that executes it. */
export type Attack = (target: Target, size: Size) => Promise<(count: Count) => Promise<void>>;

/** Gives the attackers' player 40 states of a megabyte each. */
export async function writeLargeStates({ server, launcherJwt }: Target): Promise<void> {
  const state = `"${'s'.repeat(1_000_000)}"`;
  for (let at = 0; at < 40; at++) {
    await post(`${server.url}/launcher/set-state`, { launcherJwt, label: `slot ${at}`, state });
  }
}

/** Sends this many requests per second, whether or not the previous ones were answered. */
export async function inTurn(
  { server, address }: Target,
  path: string,
  body: Buffer | null,
  headers: Record<string, string>,
  seconds: number,
  perSecond: number,
  count: Count,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, localAddress: address });
  const sent: Promise<void>[] = [];
  const over = performance.now() + seconds * 1000;
  while (performance.now() < over) {
    sent.push(send(server.url + path, body, headers, agent).then(({ status }) => count(status)));
    await sleep(1000 / perSecond);
  }
  await Promise.all(sent);
  agent.destroy();
}

/** Sends the bytes on this many connections, and reads nothing. */
export async function held(
  { server, address }: Target,
  connections: number,
  seconds: number,
  bytes: Buffer,
  count: Count,
): Promise<void> {
  const port = Number(new URL(server.url).port);
  const sockets: Socket[] = [];
  for (let at = 0; at < connections; at++) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: address });
    socket.on('error', () => undefined);
    socket.once('close', () => count('none'));
    await once(socket, 'connect');
    socket.pause();
    socket.write(bytes);
    sockets.push(socket);
  }
  await sleep(seconds * 1000);
  for (const socket of sockets) socket.destroy();
}

export function asRequest(path: string, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

export function send(
  url: string,
  body: Buffer | null,
  headers: Record<string, string>,
  agent: Agent,
): Promise<{ status: number | 'none'; text: string }> {
  return new Promise((resolve) => {
    const sent = request(
      url,
      { method: body ? 'POST' : 'GET', headers, agent, timeout: 30_000 },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          if (text.length < 10_000) text += part;
        });
        response.once('close', () => resolve({ status: response.statusCode ?? 'none', text }));
      },
    );
    sent.once('error', () => resolve({ status: 'none', text: '' }));
    sent.end(body ?? undefined);
  });
}
