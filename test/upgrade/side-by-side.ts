import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type LedgerCounts, runLedger } from '../live/ledger.ts';
import postgres from '../postgres.ts';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { startRedis } from '../support/redis.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildVersion } from './later-versions.ts';

/** What Node runs as `gantry` of this version, of the next, and of the one after that. */
export interface Versions {
  present: string;
  next: string;
  afterNext: string;
}

export interface SideBySideOptions {
  seconds: number;
  sockets: number;
  messagesPerSecond: number;
  /** Each node once forward and once back, instead of twice. */
  isShort?: boolean;
}

/** Settings of nodes on a new database with this version's schema. */
async function newDatabaseSettings(): Promise<Record<string, string>> {
  return { DATABASE_URL: (await freshSchema()).url, GANTRY_SECRET_KEY: 'e7'.repeat(32) };
}

/**
 * Two nodes of this version are upgraded to the next one, which has one more expand step, and back, while launchers
 * are connected and messages are sent: each is stopped or killed in turn, and started as one version or the other. The
 * ledger's own process stays at this version.
 */
export async function runSideBySide(
  { present, next }: Versions,
  { seconds, isShort = false, ...load }: SideBySideOptions,
): Promise<LedgerCounts> {
  const settings = await newDatabaseSettings();
  type Step = readonly [node: 0 | 1, how: 'stop' | 'kill', program: string];
  const first: Step = [0, 'stop', next]; // migrates beside the other
  const back: Step = [0, 'kill', present];
  const steps: readonly Step[] = isShort
    ? [first, [1, 'kill', present], [1, 'stop', next], back]
    : [
        first,
        [1, 'kill', present], // starts on the newer schema
        [0, 'kill', next],
        [1, 'stop', next],
        [0, 'stop', present], // and back
        [1, 'kill', next],
        back,
        [1, 'stop', present],
      ];
  const disturb = async (nodes: readonly ClusterNode[]) => {
    for (const [at, how, program] of steps) {
      const node = nodes[at];
      await node?.[how]();
      await node?.start(program);
      await delay((seconds * 1000) / steps.length);
    }
    return steps.length;
  };
  return await runLedger({
    ...load,
    nodes: 2,
    kills: 0,
    redisOutagesMs: [],
    settings,
    disturb,
    program: present,
  });
}

export interface TwoApart {
  /** The exit code of the node of this version once one two versions later has migrated, and how long that took. */
  exitCode: number | null;
  endedAfterMs: number;
  /** What it wrote to its log. */
  said: string;
  /** What it says when it is started again. */
  refusal: string;
  /** Whether the node of the version in between runs on. */
  isNextRunning: boolean;
}

/** A node of this version, of the next and of the one after that, whose contract step this version does not know. */
export async function runTwoApart({ present, next, afterNext }: Versions): Promise<TwoApart> {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const directory = stack.use(await temporaryDirectory());
  const variables = { ...(await newDatabaseSettings()), REDIS_URL: redis.url, DATA_DIR: directory.path };
  const node = stack.use(await startClusterNode(variables, present));
  const between = stack.use(await startClusterNode(variables, next));
  const ended = node.ended();
  stack.use(await startClusterNode(variables, afterNext));
  const from = performance.now();
  const exitCode = await ended;
  const endedAfterMs = Math.round(performance.now() - from);
  const said = node.log();
  const refusal = await node.start().then(
    () => '',
    (error: unknown) => String(error),
  );
  return {
    exitCode,
    endedAfterMs,
    said,
    refusal: refusal.slice(refusal.indexOf(said) + said.length),
    isNextRunning: between.isRunning(),
  };
}

/** `node test/upgrade/side-by-side.ts --seconds 60 --sockets 100 --rate 60` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      sockets: { type: 'string', default: '100' },
      rate: { type: 'string', default: '60' },
    },
  });
  const endPostgres = postgres();
  const [present = '', next = '', afterNext = ''] = await Promise.all([0, 1, 2].map(buildVersion));
  const versions = { present, next, afterNext };
  const counts = await runSideBySide(versions, {
    seconds: Number(values.seconds),
    sockets: Number(values.sockets),
    messagesPerSecond: Number(values.rate),
  });
  const twoApart = await runTwoApart(versions);
  await endPostgres();
  process.stdout.write(`${JSON.stringify({ ...counts, twoApart }, null, 2)}\n`);
  const { missed, outOfOrder, duplicates, acknowledgedMissed, altered, prizesMissed, prizesTwice, crashes } =
    counts;
  const wrong =
    missed + outOfOrder + duplicates + acknowledgedMissed + altered + prizesMissed + prizesTwice + crashes;
  process.exitCode = wrong === 0 && counts.caughtUp && twoApart.exitCode === 1 ? 0 : 1;
}

if (import.meta.main) await main();
