import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startClusterNode } from '../support/cluster-node.ts';
import { post } from '../support/http.ts';
import { readJwt } from '../support/jwt-parts.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { accepted } from '../support/outcome.ts';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

const lifetimeMs = 4_000;
const players = Number(process.env.RENEWAL_PLAYERS ?? 12);
const rounds = Number(process.env.RENEWAL_ROUNDS ?? 1);
/** How long before the session's end calls begin, and how long after it and the answer to the renewal they go on. */
const observedMs = { before: 1_500, after: 300 };
/** How often each socket, and each holder of the former token, makes a call. */
const callIntervalMs = 50;
/** When the session is renewed, from its end, for a `share` of 0 to 1: most often closely before it. */
const renewalAt = (share: number) => 40 - 1_500 * (1 - share) ** 2;

const token = z.looseObject({ launcherJwt: z.string(), expiresAt: z.number() });
const refusal = z.object({ data: z.object({ reason: z.string() }) });

interface Called {
  from: number;
  to: number;
  /** Null: it was accepted. */
  reason: string | null;
}

function endsOf({ received }: TestLauncher): unknown[] {
  return received
    .filter(({ name, record }) => name === 'game-channels patched' && record.exists === false)
    .map(({ record }) => record.endReason);
}

/** Repeats a call, until the last one began late enough. */
async function repeated(
  isLast: (from: number) => boolean,
  call: () => Promise<string | null>,
): Promise<Called[]> {
  const calls: Called[] = [];
  await until('the last call', async () => {
    const from = Date.now();
    if (from < (calls.at(-1)?.from ?? 0) + callIntervalMs) return false;
    const reason = await call();
    calls.push({ from, to: Date.now(), reason });
    return isLast(from);
  });
  return calls;
}

async function overSocket(launcher: TestLauncher): Promise<string | null> {
  if (!launcher.socket.connected) return 'disconnected';
  return Promise.race([
    launcher.call('getUserScore').then(
      () => null,
      (body) => refusal.parse(body).data.reason,
    ),
    until('the cut', () => !launcher.socket.connected).then(() => 'disconnected'),
  ]);
}

/**
 * One player with a socket on each node renews around the end of the session. Returns whether the renewal was in time.
 */
async function renewAround([near, far]: [string, string], gameId: string, share: number): Promise<boolean> {
  const renewingNode = Math.random() < 0.5 ? near : far;
  const guest = accepted(await post(`${near}/launcher/create-guest`, { gameId }), token);
  const end = guest.expiresAt;
  const connect = (url: string) =>
    connectLauncher(url, { launcherJwt: guest.launcherJwt }).catch((refused) => {
      if (Date.now() < end) throw refused;
      return null;
    });
  using here = await connect(near);
  using there = await connect(far);
  // On a busy machine, connecting may take too long.
  if (!here || !there) return renewAround([near, far], gameId, share);
  await until('shortly before the end', () => Date.now() >= end - observedMs.before);
  let renewedAt = Number.POSITIVE_INFINITY;
  const isLast = (from: number) => from > Math.max(end, renewedAt) + observedMs.after;
  const [renewal, ofToken, ...ofSockets] = await Promise.all([
    until('the renewal', () => Date.now() >= end + renewalAt(share)).then(async () => {
      const body = { launcherJwt: guest.launcherJwt };
      const answer = await post(`${renewingNode}/launcher/renew-channel-session`, body);
      renewedAt = Date.now();
      return answer;
    }),
    repeated(isLast, async () => {
      const { status, body } = await post(`${far}/launcher/get-player`, { launcherJwt: guest.launcherJwt });
      return status === 200 ? null : refusal.parse(body).data.reason;
    }),
    ...[here, there].map((launcher) => repeated(isLast, () => overSocket(launcher))),
  ]);
  const isRenewed = renewal.status === 200;
  const latestEnd = isRenewed ? Number(readJwt(guest.launcherJwt).payload.exp) * 1000 : end;
  for (const { from, to, reason } of ofToken) {
    if (reason === null) expect(from, 'the former token was accepted after its end').toBeLessThan(latestEnd);
    else expect(to, `the former token was refused before its end: ${reason}`).toBeGreaterThanOrEqual(end);
  }
  if (isRenewed) {
    // Between the end and the answer to the renewal, whether it is in time is not known yet.
    const { expiresAt } = accepted(renewal, token);
    const known = ofSockets
      .flat()
      .filter(({ from, to }) => to < end || (from >= renewedAt && to < expiresAt));
    expect(known.filter(({ reason }) => reason !== null)).toEqual([]);
    const early = [here, there].map(endsOf);
    if (Date.now() < expiresAt) expect(early).toEqual([[], []]);
    await until('the cut', () => !here.socket.connected && !there.socket.connected, 2 * lifetimeMs);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
  } else {
    expect(refusal.parse(renewal.body).data.reason).toMatch(/^(token_expired|session_ended)$/);
    await until('the cut', () => !here.socket.connected && !there.socket.connected);
  }
  expect([here, there].map(endsOf)).toEqual([['expired'], ['expired']]);
  return isRenewed;
}

describe('two nodes with Redis', () => {
  test.concurrent.for(['SQLite', 'PostgreSQL'])(
    'on %s, a session that is renewed at its end keeps its sockets on both, and any other ends on both',
    {
      timeout: 60_000 + 40_000 * rounds,
    },
    async (engine, { skip }) => {
      skip(redisMissing !== null, redisMissing ?? '');
      skip(engine === 'PostgreSQL' && noPostgres !== null, noPostgres ?? '');
      const settings: Record<string, string> =
        engine === 'PostgreSQL'
          ? { DATABASE_URL: (await freshSchema()).url, GANTRY_SECRET_KEY: '4a'.repeat(32) }
          : {};
      await using redis = await startRedis();
      await using data = await openSharedData(settings);
      const gameId = await data.createGame();
      const variables = {
        ...settings,
        DATA_DIR: data.path,
        REDIS_URL: redis.url,
        SESSION_DAYS: String(lifetimeMs / 86_400_000),
      };
      await using near = await startClusterNode(variables);
      await using far = await startClusterNode(variables);
      let renewed = 0;
      let round = 0;
      // On a busy machine, all renewals of a round may be late.
      for (; round < rounds || (renewed === 0 && round < rounds + 3); round++) {
        const outcomes = await Promise.all(
          Array.from({ length: players }, (_, n) =>
            renewAround([near.url, far.url], gameId, n / (players - 1)),
          ),
        );
        renewed += outcomes.filter(Boolean).length;
      }
      expect(renewed).toBeGreaterThan(0);
      expect(renewed).toBeLessThan(players * round);
      expect([near, far].map((node) => node.crashes())).toEqual([0, 0]);
    },
  );
});
