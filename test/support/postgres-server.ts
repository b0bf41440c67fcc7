import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { postgresBinaries, postgresUser } from './postgres-binaries.ts';
import { until } from './until.ts';

/** Names the directory of the test run, which contains its servers; set by test/postgres.ts. */
export const postgresRunVariable = 'GANTRY_TESTS_POSTGRES';

const parent = process.env[postgresRunVariable] ?? tmpdir();

export interface PostgresOptions {
  /** Whether commits wait for the disk; off where nothing is crashed, because it takes most of the time. */
  fsync?: boolean;
  /** Settings of postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
  /** It is stopped when this process has ended, for whatever reason; default: the current process. */
  endWith?: number;
}

/** A real PostgreSQL on a port of 127.0.0.1, with its own data directory. Its user is `gantry`, without a password. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number;
  readonly directory: string;
  readonly #binaries: string;
  readonly #endWith: number;
  #running: ChildProcess | null = null;

  private constructor(port: number, directory: string, binaries: string, endWith: number) {
    this.port = port;
    this.directory = directory;
    this.#binaries = binaries;
    this.#endWith = endWith;
  }

  /** Creates and starts a server, on another port if the free one was taken meanwhile. */
  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    for (let tried = 1; ; tried++) {
      const server = await PostgresServer.#make(options);
      try {
        await server.#startAnew(options);
        return server;
      } catch (error) {
        const isTaken = String(error).includes('Address already in use');
        await server[Symbol.asyncDispose]();
        if (!isTaken || tried === 3) throw error;
      }
    }
  }

  async #startAnew(options: PostgresOptions): Promise<void> {
    const { status, stderr } = spawnSync(
      join(this.#binaries, 'initdb'),
      [
        ...['-D', this.data, '-U', 'gantry', '-A', 'trust', '-E', 'UTF8'],
        ...['--locale=C', '--no-sync', '--no-instructions'],
      ],
      { ...postgresUser, cwd: this.directory, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
    this.#configure(options);
    await this.start();
  }

  static async #make({ endWith = process.pid }: PostgresOptions): Promise<PostgresServer> {
    const directory = mkdtempSync(join(parent, 'gantry-postgres-'));
    chmodSync(directory, 0o755); // for the other user, if there is one
    const binaries = postgresBinaries(parent === tmpdir() ? directory : parent);
    const server = new PostgresServer(await freePort(), directory, binaries, endWith);
    mkdirSync(server.data, { mode: 0o700 });
    if (postgresUser.uid !== undefined) chownSync(server.data, postgresUser.uid, postgresUser.gid);
    server.#endWithProcess();
    return server;
  }

  get data(): string {
    return join(this.directory, 'data');
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  url(database = 'postgres'): string {
    return `postgres://gantry@127.0.0.1:${this.port}/${database}`;
  }

  /** Its log so far. */
  log(): string {
    return readFileSync(join(this.directory, 'log'), 'utf8');
  }

  /** Starts it on its existing data, on the same port; resolves when it accepts connections. */
  async start(): Promise<void> {
    const log = openSync(join(this.directory, 'log'), 'a');
    const running = spawn(join(this.#binaries, 'postgres'), ['-D', this.data], {
      ...postgresUser,
      cwd: this.directory,
      detached: true, // keeps Ctrl-C in the terminal from reaching it
      stdio: ['ignore', log, log],
    });
    running.unref();
    this.#running = running;
    await until('PostgreSQL answering', async () => {
      if (running.exitCode !== null) throw new Error(`PostgreSQL ended at its start: ${this.log()}`);
      return answers(this.url());
    });
  }

  /** Ends it as in a power cut: all of its processes at once. Resolves when they are gone. */
  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    running.ref();
    const gone = once(running, 'exit');
    running.kill('SIGSTOP'); // so that it starts no more of them
    const backends = childrenOf(running.pid ?? 0);
    running.kill('SIGKILL');
    for (const pid of backends) signal(pid, 'SIGKILL');
    await gone;
    // While one of them holds the shared memory, no other server starts on the data.
    await until('the end of the PostgreSQL processes', () => backends.every((pid) => !isRunning(pid)));
  }

  /** Ends its sessions and flushes its data; resolves when it is gone. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    running.ref();
    const gone = once(running, 'exit');
    running.kill('SIGINT');
    await gone;
  }

  /** Suspends it while its connections stay open, as behind a broken network; `thaw` resumes it. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT');
  }

  /**
   * A standby that replicates it over a connection named after its directory (`application_name`):
   * `synchronous_standby_names` must name it for commits to wait for it.
   */
  async startStandby(options: PostgresOptions = {}): Promise<PostgresServer> {
    const standby = await PostgresServer.#make(options);
    const client = await connected(this.url());
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      cpSync(this.data, standby.data, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !['postmaster.pid', 'postmaster.opts'].includes(basename(path)),
      });
      const { rows } = await client.query<{ labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(true)',
      );
      writeFileSync(join(standby.data, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    writeFileSync(join(standby.data, 'standby.signal'), '');
    standby.#configure({
      ...options,
      settings: {
        primary_conninfo: `host=127.0.0.1 port=${this.port} user=gantry application_name=${standby.name}`,
        ...options.settings,
      },
    });
    giveToUser(standby.data);
    await standby.start();
    return standby;
  }

  /** The standby's name on its primary: letters, digits and underscores. */
  get name(): string {
    return `standby_${this.port}`;
  }

  /** Promotes a standby; resolves when it accepts writes. */
  async promote(): Promise<void> {
    const client = await connected(this.url());
    await client.query('SELECT pg_promote(true)').finally(() => client.end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  #processes(): number[] {
    const pid = this.#running?.pid;
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }

  /** The last value wins: a standby's settings follow those of its primary. */
  #configure({ fsync = false, settings = {} }: PostgresOptions): void {
    const all: Record<string, string> = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      shared_buffers: '64MB',
      fsync: fsync ? 'on' : 'off',
      full_page_writes: fsync ? 'on' : 'off',
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    appendFileSync(join(this.data, 'postgresql.conf'), lines.join(''));
  }

  /** Neither it nor its files outlive a killed test run. */
  #endWithProcess(): void {
    const left = this.#endWith === process.pid ? this.directory : parent; // a run's own directory contains everything
    const script = `
      while kill -0 ${this.#endWith}; do [ -d "$1" ] || exit; sleep 1; done
      kill -QUIT "$(head -n 1 "$1/postmaster.pid")"; sleep 2; rm -rf "$2"`;
    const args = ['-c', script, 'sh', this.data, left];
    spawn('/bin/sh', args, { detached: true, stdio: 'ignore' }).unref();
  }
}

/** A connection that a server may close at any moment. */
async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await connected(url)).end();
    return true;
  } catch {
    return false;
  }
}

/** On Linux; elsewhere its children end on their own once they notice that the postmaster is gone. */
function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Also false when it has ended and nobody has collected its exit code. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended on its own.
  }
}

function giveToUser(data: string): void {
  const { uid, gid } = postgresUser;
  if (uid === undefined) return;
  const { status, stderr } = spawnSync('chown', ['-R', `${uid}:${gid}`, data], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`chown failed: ${stderr}`);
}
