import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { heartbeatLifetimeMs } from '../../src/cluster/presence/presence.ts';
import { readConfig } from '../../src/config.ts';
import { reasons } from '../../src/core/errors.ts';
import { maxDepth } from '../../src/core/schemas/json-value.ts';
import { skippedEvent } from '../../src/features/events/skipped-event.ts';
import { leaderboardTop } from '../../src/features/scores/score.ts';
import { lengthPerSecond, packetsPerSecond } from '../../src/server/build-transports.ts';
import { events, signals } from '../../src/server/declarations/events.ts';
import { maxBodyBytes } from '../../src/transports/http/bodies.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const firstEvent = 'realtime-events connected';
const text = readFileSync(new URL('../../src/transports/socket/PROTOCOL.md', import.meta.url), 'utf8');
const prose = text.replace(/^```.*?^```$/gms, '');
const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
/** A step is one line, or all the frames before anything else happens. */
const transcripts = [...text.matchAll(/^### (.+?)\n.*?^```transcript\n(.*?)^```$/gms)].map(
  ([, title = '', lines = '']) => ({
    title,
    steps: (lines.match(/(^← .+\n)+|^.+\n/gm) ?? []).map((step) => step.trimEnd().split('\n')),
  }),
);

test('every event and every signal is listed, and no other', () => {
  const inProse = spans.filter((span) => /^[a-z]+(-[a-z]+)* [a-z]+$/.test(span));
  const inFrames = [...text.matchAll(/^← 42\["([^"<]+)"/gm)].map(([, name = '']) => name);
  const known = [...Object.keys(events), ...Object.keys(signals), firstEvent, skippedEvent.name].sort();
  expect([...new Set([...inProse, ...inFrames])].sort()).toEqual(known);
});

test('the tables of events and signals list the fields of every record', () => {
  const rows = [...prose.matchAll(/^\| `([a-z-]+ [a-z]+)` \| \w+ \| (.+) \|$/gm)];
  const documented = rows.map(([, name, fields = '']) => [
    name,
    fields.replaceAll('`', '').split(', ').sort(),
  ]);
  const inCode = Object.entries({ ...events, ...signals }).map(([name, { shape }]) => [
    name,
    Object.keys(shape).sort(),
  ]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(inCode));
});

test('every listed reason is one the server uses', () => {
  const named = spans.filter((span) => /^[a-z]+(_[a-z]+)+$/.test(span));
  expect(named).toContain('session_ended');
  expect(named.filter((reason) => !Object.hasOwn(reasons, reason))).toEqual([]);
});

test('the limits are those the server enforces', () => {
  const { retention, connectionsPerAddress } = readConfig({});
  const count = (value: number) => value.toLocaleString('en');
  expect(text).toContain(`${maxBodyBytes / 2 ** 20} MiB (\`maxPayload\`, ${count(maxBodyBytes)} bytes)`);
  expect(text).toContain(`| ${maxDepth} levels |`);
  expect(text).toContain(`the first ${leaderboardTop} rows`);
  expect(text).toContain(`less than ${heartbeatLifetimeMs / 60_000} minutes old`);
  expect(text).toContain(`${retention.maxAgeMs / 86_400_000} days and ${count(retention.maxCount)} a stream`);
  expect(text).toContain(`${count(connectionsPerAddress)} open at once`);
  expect(text).toContain(`| ${count(packetsPerSecond)} and ${lengthPerSecond / 2 ** 20} MiB in a second;`);
});

test('the version is the latest of its history', () => {
  const version = /^\*\*Version (\d+)\.\*\*/m.exec(text)?.[1];
  const history = [...text.slice(text.indexOf('| version |')).matchAll(/^\| (\d+) \|/gm)];
  expect(history.map(([, number]) => number).at(0)).toBe(version);
});

test('there is a transcript of a connect, a replay, a trimmed stream, and the other cases', () => {
  expect(transcripts.map(({ title }) => title)).toEqual([
    'A connect, a message, and two calls',
    'A reconnect with replay',
    'A trimmed stream',
    'A notification that waited',
    "A game's public stream",
    'The end of a session',
  ]);
});

test.for(transcripts)('a server behaves as in the transcript: $title', async ({ steps }) => {
  const settings = [...(steps[0]?.[0] ?? '').matchAll(/([A-Z_]+)=(\w+)/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  await using server = await startTestServer(Object.fromEntries(settings));
  const { gameId } = await server.createGame();
  const players = {
    Ada: await server.openSession(gameId, `0x${'a1'.repeat(20)}`),
    Grace: await server.openSession(gameId, `0x${'b2'.repeat(20)}`),
  };
  const written = new Names();
  const live = new Names();
  const toLive = (line: string) =>
    live.fill(written.strip(line)).replace('eyJ…', () => players.Grace.launcherJwt);
  let socket: RawSocket | undefined;

  for (const step of steps) {
    const [line = ''] = step;
    const call = /^# (Ada|Grace) calls (\w+) (.+)$/.exec(line);
    if (line.startsWith('→ ')) {
      socket?.send(toLive(line.slice(2)));
    } else if (line.startsWith('← ')) {
      const frames = (await socket?.take(step.length)) ?? [];
      const local = frames.map((frame) => frame.replaceAll(server.url, 'http://127.0.0.1:3000'));
      expect(byStream(local).map((frame) => parse(live.strip(frame)))).toEqual(
        byStream(step.map((one) => one.slice(2))).map((frame) => parse(written.strip(frame))),
      );
    } else if (call) {
      const [, who, operation = '', data = ''] = call;
      const { launcherJwt } = who === 'Ada' ? players.Ada : players.Grace;
      const body = { launcherJwt, ...JSON.parse(toLive(data)) };
      const answer = await post(`${server.url}/launcher`, body, { 'X-Service-Method': operation });
      expect(answer.status, line).toBe(200);
    } else if (line === '# Grace connects.') {
      socket = new RawSocket(server.url);
    } else if (line === '# The connection is lost.') {
      socket?.close();
      const { presence } = server.services;
      await until('the loss', async () => !(await presence.isPresent(players.Grace.sessionId)));
    } else if (line === '# The server closes the connection.') {
      await socket?.closed;
    } else {
      expect(line).toMatch(/^# The server was started with /);
    }
  }
  socket?.close();
});

/** A WebSocket that buffers received frames until they are read. */
class RawSocket {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #frames: string[] = [];

  constructor(url: string) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    socket.addEventListener('message', ({ data }) => this.#frames.push(String(data)));
    this.closed = new Promise((resolve) => socket.addEventListener('close', () => resolve()));
    this.#socket = socket;
  }

  send(frame: string): void {
    this.#socket.send(frame);
  }

  async take(count: number): Promise<string[]> {
    await until(`frame ${count} of ${count}`, () => this.#frames.length >= count);
    return this.#frames.splice(0, count);
  }

  close(): void {
    this.#socket.close();
  }
}

/**
 * What differs between servers: ids and epochs, numbered by first occurrence, so that two texts match when the same ids
 * are in the same places; and times and the like, which only have to be present.
 */
class Names {
  readonly #seen: string[] = [];

  strip(line: string): string {
    return line
      .replace(/"sid":"[^"]+"/g, '"sid":"…"')
      .replace(/\b\d{13}\b/g, '0')
      .replace(/\b([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16})\b/g, (name) => {
        if (!this.#seen.includes(name)) this.#seen.push(name);
        return `{${this.#seen.indexOf(name)}}`;
      });
  }

  fill(line: string): string {
    return line.replace(/\{(\d+)\}/g, (_, index) => this.#seen[index] ?? 'unknown');
  }
}

/** Order is guaranteed within a stream only: frames by stream, each in order. */
function byStream(frames: readonly string[]): string[] {
  const streamOf = (frame: string) => /\{"stream":"(\w+):[^}]*\}\]$/.exec(frame)?.[1] ?? '';
  return frames.toSorted((one, other) => streamOf(one).localeCompare(streamOf(other)));
}

/** The packet's type and number, and its payload. */
function parse(frame: string): unknown[] {
  const [, head, body = ''] = /^(\d+)(.*)$/s.exec(frame) ?? [];
  return [head, body === '' ? null : JSON.parse(body)];
}
