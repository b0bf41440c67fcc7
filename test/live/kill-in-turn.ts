import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterNode } from '../support/cluster-node.ts';
import type { TestRedis } from '../support/redis.ts';
import type { Disasters } from './friends-ledger.ts';

export interface KillOptions {
  /** How often each of the nodes is killed and restarted. */
  kills: number;
  /** How long each Redis outage lasts, in milliseconds. */
  redisOutagesMs: readonly number[];
  /** How long Redis hangs each time, with its connections open, in milliseconds; default: never. */
  redisPausesMs?: readonly number[];
}

/** How long a killed node stays down, and how long it then runs at least. */
const downMs = 300;
const upMs = 2_500;

/** Kills and restarts the nodes in turn, and Redis meanwhile, with its outages and pauses spread over that time. */
export async function killInTurn(
  nodes: readonly ClusterNode[],
  redis: TestRedis,
  { kills, redisOutagesMs, redisPausesMs = [] }: KillOptions,
  disasters?: Disasters,
): Promise<number> {
  const rounds = kills * nodes.length;
  const outages = [
    ...redisPausesMs.map((ms) => () => hang(redis, ms, disasters)),
    ...redisOutagesMs.map((ms) => () => takeAway(redis, ms, disasters)),
  ];
  // The last outage begins with the last kill, so that everything is back at once.
  const roundOf = (outage: number) => Math.ceil(((outage + 1) * rounds) / outages.length) - 1;
  let outage = Promise.resolve();
  for (let round = 0; round < rounds; round++) {
    for (const begin of outages.filter((_, index) => roundOf(index) === round)) outage = outage.then(begin);
    const node = nodes[round % nodes.length];
    await node?.kill();
    disasters?.nodeKilled(node?.url ?? '');
    await delay(downMs);
    await node?.start();
    if (round === rounds - 1) {
      await outage;
      disasters?.allBack();
    }
    await delay(upMs);
  }
  return rounds;
}

async function takeAway(redis: TestRedis, awayMs: number, disasters?: Disasters): Promise<void> {
  disasters?.redisAway();
  await redis.kill();
  await delay(awayMs);
  await redis.start();
  disasters?.redisBack();
}

async function hang(redis: TestRedis, forMs: number, disasters?: Disasters): Promise<void> {
  disasters?.redisAway();
  redis.freeze();
  await delay(forMs);
  redis.thaw();
  disasters?.redisBack();
}
