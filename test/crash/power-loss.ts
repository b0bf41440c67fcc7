import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { compiledOf } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { audit, type Findings, isComplete } from './audit.ts';
import { burst, Poster } from './burst.ts';
import { type Entry, Ledger } from './ledger.ts';
import { loadSettings } from './players.ts';
import { type Random, RecordedDisk } from './recorded-disk.ts';
import { type Operation, SystemCalls, straceArguments } from './system-calls.ts';

const connections = 32;
const startWithinMs = 60_000;
/** In every state, so that the write-ahead log is checkpointed occasionally, as in a long run. */
const fillerBytes = 20_000;

export interface PowerLossOptions {
  /** How many power cuts. */
  images: number;
  /** How many writes are acknowledged while the file operations are recorded. */
  writes: number;
  /** Has the server commit without waiting for the disk, a fault that must be found. */
  synchronous?: 'NORMAL';
  seed?: number;
}

export interface PowerLossReport extends Omit<Findings, 'answered' | 'unanswered' | 'integrity'> {
  images: number;
  /** Recorded file operations, including syncs. */
  operations: number;
  syncs: number;
  answered: number;
  /** How many acknowledged writes were checked, over all images. */
  acknowledgedChecked: number;
  /** Images in which something was wrong. */
  damaged: number;
  /** Images that SQLite could not open, or whose `integrity_check` was not "ok". */
  notIntact: number;
  /** Images with acknowledged writes and without the keys that tokens and secrets need. */
  keysLost: number;
  seed: number;
}

/** Whether nothing was lost in any image. */
export function survives({ notIntact, keysLost, ...found }: PowerLossReport): boolean {
  return notIntact === 0 && keysLost === 0 && isComplete({ ...found, integrity: 'ok' });
}

/**
 * Records every file operation of a real server from its first start, under load, to its end; then simulates power cuts
 * at moments of that record: rebuilds a possible state of the disk, and opens it. A write counts as acknowledged from
 * the moment the server began to send the response.
 */
export async function powerLoss(
  { images, writes, synchronous, seed = 1 }: PowerLossOptions,
  onImage: (report: PowerLossReport) => void = () => {},
): Promise<PowerLossReport> {
  await using place = await temporaryDirectory();
  const dataDirectory = join(place.path, 'data');
  const { operations, ledger } = await record(dataDirectory, join(place.path, 'trace'), writes, synchronous);
  const answeredAt = answersIn(operations, ledger);
  const keys = await keyFilesOf(dataDirectory);
  const random = randomFrom(seed);
  const cuts = Array.from({ length: images }, () => Math.floor(random() * operations.length)).sort(
    (a, b) => a - b,
  );
  const report: PowerLossReport = {
    images: 0,
    operations: operations.filter(({ kind }) => kind !== 'nothing' && kind !== 'answer').length,
    syncs: operations.filter((one) => one.kind === 'sync' && one.is === 'done').length,
    answered: ledger.answeredCount,
    acknowledgedChecked: 0,
    damaged: 0,
    lost: 0,
    halfWritten: 0,
    changesWithoutEvent: 0,
    eventsWithoutChange: 0,
    streamsWithGaps: 0,
    wrongRanks: 0,
    notIntact: 0,
    keysLost: 0,
    seed,
  };
  const disk = new RecordedDisk(dataDirectory);
  let applied = 0;
  for (const cut of cuts) {
    while (applied < cut) disk.apply(operations[applied++] ?? { kind: 'nothing' });
    const image = join(place.path, 'image');
    const files = disk.afterPowerCut(random);
    await mkdir(image);
    for (const [name, content] of files) await writeFile(join(image, name), content);
    const wasAnswered = (entry: Entry) => (answeredAt.get(entry) ?? operations.length) < cut;
    report.images++;
    if (!(await countFaults(image, ledger, wasAnswered, report, () => keysAreThere(files, keys))))
      report.damaged++;
    onImage(report);
    await rm(image, { recursive: true });
  }
  return report;
}

/** Adds an image's faults to the report; returns whether there are none. */
async function countFaults(
  image: string,
  ledger: Ledger,
  wasAnswered: (entry: Entry) => boolean,
  report: PowerLossReport,
  hasKeys: () => boolean,
): Promise<boolean> {
  let findings: Findings;
  try {
    findings = await audit(dataFiles(image).database, ledger, wasAnswered);
  } catch (error) {
    if (!(error instanceof Error) || !/database|file/.test(error.message)) throw error;
    report.notIntact++;
    return false;
  }
  report.acknowledgedChecked += findings.answered;
  report.lost += findings.lost;
  report.halfWritten += findings.halfWritten;
  report.changesWithoutEvent += findings.changesWithoutEvent;
  report.eventsWithoutChange += findings.eventsWithoutChange;
  report.streamsWithGaps += findings.streamsWithGaps;
  report.wrongRanks += findings.wrongRanks;
  if (findings.integrity !== 'ok') report.notIntact++;
  const keysAreLost = findings.answered > 0 && !hasKeys();
  if (keysAreLost) report.keysLost++;
  return isComplete(findings) && !keysAreLost;
}

const started = z.object({
  url: z.string(),
  pid: z.int(),
  players: z.array(z.object({ wallet: z.string(), launcherJwt: z.string(), channelId: z.string() })),
});

async function record(
  dataDirectory: string,
  trace: string,
  writes: number,
  synchronous: 'NORMAL' | undefined,
): Promise<{ operations: readonly Operation[]; ledger: Ledger }> {
  const program = compiledOf(fileURLToPath(new URL('server-with-players.ts', import.meta.url)));
  const fault = fileURLToPath(new URL('synchronous-normal.ts', import.meta.url));
  await mkdir(dataDirectory); // so that the record begins with an empty directory that is certainly on disk
  const child = spawn(
    'strace',
    [
      ...straceArguments(trace),
      process.execPath,
      ...(synchronous ? ['--import', fault] : []),
      program,
      `${connections / 2}`,
    ],
    {
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDirectory, ...loadSettings },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const gone = once(child, 'exit');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const line = await until('the server listens', () => /^.*\n/.exec(said)?.[0], startWithinMs);
  const { url, pid, players } = started.parse(JSON.parse(line));
  const ledger = new Ledger();
  try {
    const posters = players.map((player) => new Poster(player, fillerBytes));
    await burst(url, posters, ledger, () => ledger.answeredCount >= writes);
    for (const poster of posters) poster.hangUp();
  } finally {
    process.kill(pid, 'SIGTERM'); // the shutdown is recorded too: it empties the write-ahead log
    await gone;
  }
  const calls = new SystemCalls(dataDirectory);
  for await (const each of createInterface(createReadStream(trace))) calls.read(each);
  await rm(trace);
  return { operations: calls.operations, ledger };
}

/** The position in the record at which each write was acknowledged. */
function answersIn(operations: readonly Operation[], { byPort, answeredCount }: Ledger): Map<Entry, number> {
  const answeredAt = new Map<Entry, number>();
  const answers = new Map<number, number>();
  for (const [at, operation] of operations.entries()) {
    if (operation.kind !== 'answer') continue;
    const earlier = answers.get(operation.port) ?? 0;
    answers.set(operation.port, earlier + 1);
    const entry = byPort.get(operation.port)?.[earlier];
    if (entry) answeredAt.set(entry, at);
  }
  if (answeredAt.size !== answeredCount) {
    throw new Error(
      `${answeredCount} writes were answered, and ${answeredAt.size} answers are in the record`,
    );
  }
  return answeredAt;
}

async function keyFilesOf(dataDirectory: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(dataDirectory)).filter((name) => /^(token-keys|secret)\b/.test(name));
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, Buffer]> => [name, await readFile(join(dataDirectory, name))]),
    ),
  );
}

function keysAreThere(files: ReadonlyMap<string, Buffer>, keys: ReadonlyMap<string, Buffer>): boolean {
  return [...keys].every(([name, content]) => files.get(name)?.equals(content));
}

/** Mulberry32: small, and the same numbers for the same seed. */
function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
