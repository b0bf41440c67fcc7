import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Cursor, Meta, Saved } from '../../src/sdk/client/client.ts';
import { until } from '../support/until.ts';
import type { DriverEntry } from './drivers.ts';

type Json = Record<string, unknown>;

/** A driver's report of a refused call. */
export interface DriverRefusal {
  reason: string;
  code: number;
  message: string;
  retryAfterSeconds: number | null;
  data: Json;
  errors: readonly { path: string; message: string }[];
}

/** Thrown when a driver answers a command with an error. */
export class DriverError extends Error {
  readonly refusal: DriverRefusal;

  constructor(refusal: DriverRefusal) {
    super(`${refusal.reason}: ${refusal.message}`);
    this.refusal = refusal;
  }
}

/** The refusal that a command fails with. @throws Error when it does not fail */
export async function refusalOf(command: Promise<unknown>): Promise<DriverRefusal> {
  const error = await command.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DriverError)) throw new Error(`no refusal: ${error}`);
  return error.refusal;
}

export interface DriverReceived {
  name: string;
  record: Json;
  meta: Meta;
}

export interface OpenOptions {
  url: string;
  launcherJwt?: string | undefined;
  gameSecret?: string | undefined;
  saved?: Saved | null;
  stateFile?: string;
  callOver?: 'socket' | 'http';
  timeoutMs?: number;
  retries?: number;
  renewTokens?: readonly string[];
  status?: { status: string; text?: string };
  gameVersion?: string;
  label?: string;
  routeByPlayer?: boolean;
}

export interface ConnectOptions extends OpenOptions {
  game: string;
  username?: string;
  deviceName?: string;
  deviceSecret?: string;
  signInTimeoutMs?: number;
  ambientToken?: string;
}

/** A client's player, as the server answers it. */
export interface DriverPlayer {
  wallet: string;
  userId: string;
  username: string;
  isNamed: boolean;
  avatar: string;
  isGuest: boolean;
}

/** What a `follow` has reported. */
export interface DriverFollow {
  /** Each call of the listener. */
  readonly shown: (readonly Json[])[];
  stop(): Promise<unknown>;
}

/** A friend list, as the listener got it. */
export type DriverFriendList = Record<'friends' | 'received' | 'sent', readonly Json[]>;

/** What a `followFriends` has reported. */
export interface DriverFriends {
  readonly shown: readonly DriverFriendList[];
  stop(): Promise<unknown>;
}

/** The config that a client has. */
export interface DriverConfig {
  version: number;
  values: Json;
}

/** What a `followConfig` has reported. */
export interface DriverConfigs {
  readonly shown: readonly Json[];
  stop(): Promise<unknown>;
}

/** Carries lines to a driver, wherever it runs. */
export interface DriverLink {
  send(line: string): void;
  close(): Promise<void>;
}

/** A client in a driver, with all its reports. */
export class DriverClient {
  readonly received: DriverReceived[] = [];
  readonly resyncs: string[] = [];
  /** The queued calls that have completed, each with the reason of its refusal. */
  readonly queued: [operation: string, reason: string | null][] = [];
  readonly statuses: string[] = [];
  refusedFor: string | undefined;
  /** What it was told about its version. */
  warning: unknown;
  /** What a refused client has to install. */
  update: unknown;
  /** `endReason` of each end. */
  readonly endReasons: unknown[] = [];
  readonly #name: string;
  readonly #driver: Driver;
  readonly #follows = new Map<number, Json[][]>();
  readonly #friends = new Map<number, DriverFriendList[]>();
  readonly #configs = new Map<number, Json[]>();

  constructor(name: string, driver: Driver) {
    this.#name = name;
    this.#driver = driver;
  }

  ready(options: object = {}): Promise<unknown> {
    return this.#ask('ready', { options });
  }

  call(operation: string, input: object = {}, options: object = {}): Promise<Json> {
    return this.#ask('call', { operation, input, options }) as Promise<Json>;
  }

  queue(operation: string, input: object, options: object = {}): Promise<Json> {
    return this.#ask('queue', { operation, input, options }) as Promise<Json>;
  }

  queueWithoutJson(): Promise<unknown> {
    return this.#ask('queueWithoutJson');
  }

  player(): Promise<DriverPlayer | null> {
    return this.#ask('player') as Promise<DriverPlayer | null>;
  }

  /** Null when the SDK's events are not texts. */
  on(event: string): Promise<unknown> {
    return this.#ask('on', { event });
  }

  async follow(options: { leaderboard?: string; limit?: number } = {}): Promise<DriverFollow> {
    const id = this.#driver.nextId;
    const shown: Json[][] = [];
    this.#follows.set(id, shown);
    await this.#ask('follow', options);
    return { shown, stop: () => this.#ask('unfollow', { follow: id }) };
  }

  async followFriends(options: { throws?: true; cancellation?: string } = {}): Promise<DriverFriends> {
    const id = this.#driver.nextId;
    const shown: DriverFriendList[] = [];
    this.#friends.set(id, shown);
    await this.#ask('followFriends', options);
    return { shown, stop: () => this.#ask('unfollow', { follow: id }) };
  }

  config(): Promise<DriverConfig> {
    return this.#ask('config') as Promise<DriverConfig>;
  }

  async followConfig(): Promise<DriverConfigs> {
    const id = this.#driver.nextId;
    const shown: Json[] = [];
    this.#configs.set(id, shown);
    await this.#ask('followConfig');
    return { shown, stop: () => this.#ask('unfollow', { follow: id }) };
  }

  subscribe(gameId?: string): Promise<unknown> {
    return this.#ask('subscribe', { gameId });
  }

  cursors(): Promise<Record<string, Cursor>> {
    return this.#ask('cursors') as Promise<Record<string, Cursor>>;
  }

  saved(): Promise<Saved | null> {
    return this.#ask('saved') as Promise<Saved | null>;
  }

  close(): Promise<unknown> {
    return this.#ask('close');
  }

  /** Waits until the client has reported this state. */
  async until(status: string): Promise<void> {
    await until(status, () => this.statuses.includes(status));
  }

  /** Receives a report. */
  take(line: Json): void {
    if (typeof line.event === 'string') {
      this.received.push({ name: line.event, record: line.record as Json, meta: line.meta as Meta });
    } else if (typeof line.follow === 'number' && line.list) {
      this.#friends.get(line.follow)?.push(line.list as DriverFriendList);
    } else if (typeof line.follow === 'number' && line.config) {
      this.#configs.get(line.follow)?.push(line.config as Json);
    } else if (typeof line.follow === 'number') {
      this.#follows.get(line.follow)?.push(line.rows as Json[]);
    } else if (typeof line.queued === 'string') {
      this.queued.push([line.queued, typeof line.reason === 'string' ? line.reason : null]);
    } else if (typeof line.resync === 'string') this.resyncs.push(line.resync);
    else if (typeof line.status === 'string') {
      this.statuses.push(line.status);
      if (typeof line.reason === 'string') this.refusedFor = line.reason;
      if (line.update) this.update = line.update;
      if (line.warning) this.warning = line.warning;
      if (line.status === 'ended') this.endReasons.push(line.endReason);
    } else throw new Error(`a driver reports ${JSON.stringify(line)}`);
  }

  #ask(what: string, fields: object = {}): Promise<unknown> {
    return this.#driver.ask({ do: what, client: this.#name, ...fields });
  }
}

/** A running driver. */
export class Driver implements AsyncDisposable {
  readonly #clients = new Map<string, DriverClient>();
  readonly #waiting = new Map<number, { resolve(ok: unknown): void; reject(error: Error): void }>();
  readonly #signers = new Map<number, PrivateKeyAccount>();
  #link: DriverLink | undefined;
  #count = 0;
  #ended: Error | undefined;

  /** Starts the process of an entry. */
  static async start(entry: DriverEntry): Promise<Driver> {
    const folder = await mkdtemp(join(tmpdir(), 'gantry-driver-'));
    const { command, args, env } = await entry.prepare(folder);
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const gone = once(child, 'close');
    const driver = new Driver();
    let complaints = '';
    child.stderr.on('data', (text) => {
      complaints = (complaints + text).slice(-4_000);
    });
    createInterface({ input: child.stdout }).on('line', (line) => driver.take(line));
    child.on('exit', (code) => driver.end(new Error(`the driver ended with ${code}: ${complaints}`)));
    driver.#link = {
      send: (line) => void child.stdin.write(`${line}\n`),
      async close() {
        child.stdin.end();
        const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
        await gone;
        clearTimeout(timer);
        await rm(folder, { recursive: true, force: true });
      },
    };
    return driver;
  }

  /** With a link provided by the caller, which passes lines to `take`. */
  static over(link: DriverLink): Driver {
    const driver = new Driver();
    driver.#link = link;
    return driver;
  }

  /** The id of the next command. */
  get nextId(): number {
    return this.#count + 1;
  }

  open(options: OpenOptions): Promise<DriverClient> {
    return this.#create('open', options);
  }

  connect(options: ConnectOptions): Promise<DriverClient> {
    return this.#create('connect', options);
  }

  signInAsGuest(options: object): Promise<Json> {
    return this.ask({ do: 'signInAsGuest', options }) as Promise<Json>;
  }

  signInWithWallet(account: PrivateKeyAccount, options: object): Promise<Json> {
    this.#signers.set(this.nextId, account);
    return this.ask({
      do: 'signInWithWallet',
      options: { ...options, wallet: account.address },
    }) as Promise<Json>;
  }

  ask(command: Json): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#count;
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#link?.send(JSON.stringify({ id, ...command }));
    return answered;
  }

  /** Receives a line that the driver has written. */
  take(line: string): void {
    const told = JSON.parse(line) as Json;
    if (typeof told.client === 'string') {
      this.#clients.get(told.client)?.take(told);
      return;
    }
    if (typeof told.sign === 'string') {
      void this.#sign(Number(told.for), told.sign);
      return;
    }
    const waiting = this.#waiting.get(Number(told.id));
    this.#waiting.delete(Number(told.id));
    if (told.error) waiting?.reject(new DriverError(told.error as DriverRefusal));
    else waiting?.resolve(told.ok);
  }

  end(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link?.close();
  }

  connectWithWallet(account: PrivateKeyAccount, options: ConnectOptions): Promise<DriverClient> {
    this.#signers.set(this.nextId, account);
    return this.#create('connectWithWallet', { ...options, wallet: account.address });
  }

  async #create(what: string, options: object): Promise<DriverClient> {
    const name = `client ${this.#clients.size + 1}`;
    const client = new DriverClient(name, this);
    this.#clients.set(name, client);
    await this.ask({ do: what, client: name, options });
    return client;
  }

  async #sign(id: number, text: string): Promise<void> {
    const signature = await this.#signers.get(id)?.signMessage({ message: text });
    await this.ask({ do: 'signature', for: id, signature });
  }
}
