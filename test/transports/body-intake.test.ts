import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BodyIntake } from '../../src/transports/http/body-intake.ts';
import { post } from '../support/http.ts';
import { exchange } from '../support/raw-http.ts';
import { startTestServer } from '../support/server.ts';

const partBytes = 64 * 1024;
const mebibyte = 1024 * 1024;

/** A request with an endless body; parts of it arrive whenever it is not paused, as many as Node reads per turn. */
class EndlessBody {
  taken = 0;
  #isPaused = false;

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  come(take: (request: IncomingMessage, bytes: number) => void): void {
    for (let part = 0; part < 32 && !this.#isPaused; part++) {
      this.taken += partBytes;
      take(this as unknown as IncomingMessage, partBytes);
    }
  }
}

const sum = (bodies: readonly EndlessBody[]) => bodies.reduce((bytes, { taken }) => bytes + taken, 0);

describe('however many callers send megabytes', () => {
  afterEach(() => void vi.useRealTimers());

  test('half a megabyte is read per turn of the event loop, and each caller gets its turn', () => {
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    const intake = new BodyIntake();
    const bodies = Array.from({ length: 20 }, () => new EndlessBody());
    for (let turn = 1; turn <= 100; turn++) {
      for (const body of bodies) body.come((request, bytes) => intake.received(request, bytes));
      vi.runOnlyPendingTimers();
      // The first part of each arrives before it can be paused.
      expect(sum(bodies)).toBeLessThanOrEqual(turn * (mebibyte / 2) + bodies.length * partBytes);
    }
    expect(sum(bodies)).toBeGreaterThan(45 * mebibyte);
    expect(Math.min(...bodies.map(({ taken }) => taken))).toBeGreaterThan(mebibyte);
  });

  test('of refused ones, eight megabytes are read per second, and each gets its turn', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const intake = new BodyIntake();
    const bodies = Array.from({ length: 20 }, () => new EndlessBody());
    for (let ms = 0; ms < 10_000; ms += 10) {
      for (const body of bodies) body.come((request, bytes) => intake.discarded(request, bytes));
      vi.advanceTimersByTime(10);
    }
    expect(sum(bodies)).toBeLessThan(82 * mebibyte);
    expect(sum(bodies)).toBeGreaterThan(75 * mebibyte);
    expect(Math.min(...bodies.map(({ taken }) => taken))).toBeGreaterThan(mebibyte);
  });
});

describe('a body that is refused', () => {
  test('because of its caller, is refused at its first part, and the rest is never sent', async () => {
    await using server = await startTestServer({ RATE_LIMIT_FACTOR: '0.02' });
    const { launcherJwt } = await server.openSession((await server.createGame()).gameId);
    const state = JSON.stringify('a'.repeat(900_000));
    const save = () => post(`${server.url}/launcher/set-state`, { launcherJwt, label: 'one', state });
    expect([(await save()).status, (await save()).status]).toEqual([200, 429]);
    const head = 'POST /launcher/set-state HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n';
    const begun = `${head}{"launcherJwt":"${launcherJwt}","label":"one","state":"a`;
    const { statuses } = await exchange(server, [begun], { answers: 1 });
    expect(statuses).toEqual([429]);
  });

  test('is still read to its end, and the next request on the connection is answered', async () => {
    await using server = await startTestServer();
    const request = (bytes: number) =>
      `POST /admin/list-games HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`;
    const { statuses } = await exchange(server, [request(1_500_000), request(2)], { answers: 2 });
    expect(statuses).toEqual([401, 401]);
  });
});
