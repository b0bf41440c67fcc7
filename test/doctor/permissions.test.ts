import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { gantry } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const nobodyUid = 65_534;
const isRoot = process.getuid?.() === 0;

/** A data directory of this user, root; doctor runs as another user. */
const place = await temporaryDirectory();
const whole = join(place.path, 'whole');
beforeAll(async () => {
  chmodSync(place.path, 0o755);
  const { code } = await gantry(['game', 'create', '--name', 'One'], { env: { DATA_DIR: whole } });
  expect(code).toBe(0);
});
afterAll(() => place[Symbol.asyncDispose]());

const findings = z.object({
  findings: z.array(
    z.object({ check: z.string(), level: z.string(), message: z.string(), remedy: z.string().optional() }),
  ),
});

async function problemsOf(env: Record<string, string>) {
  const { code, stdout, stderr } = await gantry(['doctor', '--json'], {
    env: { PORT: '0', ADMIN_TOKEN: 'the-admin-token-of-the-tests', ...env },
    uid: nobodyUid,
  });
  expect([code, stderr]).toEqual([1, '']);
  const { findings: all } = findings.parse(JSON.parse(stdout));
  return all.flatMap(({ level, check, message, remedy }) =>
    level === 'ok' || check === 'open-files' ? [] : [`${level} ${check}: ${message} → ${remedy}`],
  );
}

function give(directory: string, uid: number): void {
  for (const name of ['.', ...readdirSync(directory)]) chownSync(join(directory, name), uid, uid);
}

interface Denied {
  fault: string;
  /** Takes the permission away; returns the path that the report must name, and settings. */
  deny(data: string): { named: string; env?: Record<string, string> };
  problem: string;
  remedy: string;
}

const denied: Denied[] = [
  {
    fault: "another user's data directory, mode 000",
    deny(data) {
      give(data, 1_234);
      chmodSync(data, 0o000);
      return { named: data };
    },
    problem: 'data-directory: permission denied: uid 65534 may not use PATH (owner: uid 1234, mode 000)',
    remedy: "Run Gantry as the owner (sudo -u '#1234' …), or give it to this user: sudo chown -R 65534 PATH",
  },
  {
    fault: "the user's own data directory, mode 000",
    deny(data) {
      give(data, nobodyUid);
      chmodSync(data, 0o000);
      return { named: data };
    },
    problem: 'data-directory: permission denied: uid 65534 may not use PATH (owner: uid 65534, mode 000)',
    remedy: 'chmod 700 PATH',
  },
  {
    fault: 'a data directory that may be read, but not written',
    deny(data) {
      chmodSync(data, 0o755);
      return { named: data };
    },
    problem: 'data-directory: permission denied: uid 65534 may not use PATH (owner: uid 0, mode 755)',
    remedy: 'Give it to this user: sudo chown -R 65534 PATH',
  },
  {
    fault: 'a directory above that may not be entered',
    deny(data) {
      const above = join(data, '..', 'closed');
      mkdirSync(above, { mode: 0o700 });
      return { named: above, env: { DATA_DIR: join(above, 'deeper', 'data') } };
    },
    problem: 'data-directory: permission denied: uid 65534 may not enter PATH (owner: uid 0, mode 700)',
    remedy: 'Let other users pass through it: sudo chmod o+x PATH',
  },
  {
    fault: 'a new data directory where this user may create none',
    deny(data) {
      const missing = join(data, '..', 'new');
      return { named: missing, env: { DATA_DIR: missing } };
    },
    problem: `data-directory: PATH does not exist, and this user may not create it: permission denied in ${place.path}`,
    remedy: 'Create it: sudo install -d -m 700 -o 65534 PATH',
  },
  {
    fault: 'a database file of another user',
    deny(data) {
      give(data, nobodyUid);
      const { database } = dataFiles(data);
      chownSync(database, 0, 0);
      return { named: database };
    },
    problem: 'database: permission denied: uid 65534 may not read and write PATH (owner: uid 0, mode 600)',
    remedy: 'Give it to this user: sudo chown 65534 PATH',
  },
  {
    fault: 'a write-ahead log left by a command of root',
    deny(data) {
      give(data, nobodyUid);
      const log = `${dataFiles(data).database}-wal`;
      writeFileSync(log, '', { mode: 0o600 });
      return { named: log };
    },
    problem: 'database: permission denied: uid 65534 may not read and write PATH (owner: uid 0, mode 600)',
    remedy: 'Give it to this user: sudo chown 65534 PATH',
  },
  {
    fault: 'a key file that its owner may not read',
    deny(data) {
      give(data, nobodyUid);
      const { tokenKeys } = dataFiles(data);
      chmodSync(tokenKeys, 0o000);
      return { named: tokenKeys };
    },
    problem: 'keys: permission denied: uid 65534 may not read PATH (owner: uid 65534, mode 000)',
    remedy: 'chmod 600 PATH',
  },
  {
    fault: 'a directory of backups left by a command of root',
    deny(data) {
      give(data, nobodyUid);
      const backups = join(data, 'backups');
      mkdirSync(backups, { mode: 0o700 });
      return { named: backups };
    },
    problem: 'backups: permission denied: uid 65534 may not use PATH (owner: uid 0, mode 700)',
    remedy: 'Give it to this user: sudo chown -R 65534 PATH',
  },
  {
    fault: 'a directory of backups that this user may not create',
    deny(data) {
      give(data, nobodyUid);
      const missing = join(data, '..', 'nightly');
      return { named: missing, env: { BACKUP_DIR: missing } };
    },
    problem: `backups: PATH does not exist, and this user may not create it: permission denied in ${place.path}`,
    remedy: 'Create it: sudo install -d -m 700 -o 65534 PATH',
  },
  {
    fault: 'a keystore of another user',
    deny(data) {
      give(data, nobodyUid);
      const keystore = join(data, '..', 'keystore.json');
      writeFileSync(keystore, '{}', { mode: 0o600 });
      return { named: keystore, env: { SIGNER_KEYSTORE: keystore, SIGNER_KEYSTORE_PASSWORD: 'hidden' } };
    },
    problem: 'signers: permission denied: uid 65534 may not read PATH (owner: uid 0, mode 600)',
    remedy: 'Give it to this user: sudo chown 65534 PATH',
  },
];

const why = isRoot ? '' : ' (skipped: switching the user takes root)';

test.skipIf(!isRoot).each(denied)(
  `doctor names $fault, and what to do, and nothing else${why}`,
  async ({ deny, problem, remedy }) => {
    const data = join(place.path, 'data');
    cpSync(whole, data, { recursive: true });
    chmodSync(data, 0o700);
    const { named, env } = deny(data);
    try {
      expect(await problemsOf({ DATA_DIR: data, ...env })).toEqual([
        `error ${problem} → ${remedy}`.replaceAll('PATH', named),
      ]);
    } finally {
      rmSync(data, { recursive: true });
    }
  },
);

test
  .skipIf(!isRoot)
  .each([
    ['game', 'list'],
    ['backup', join(place.path, 'denied.gantry')],
    ['restore', join(whole, 'one.gantry')],
    ['compact'],
    ['migrate'],
    ['migrate', '--check'],
    ['migrate-to', 'postgres://127.0.0.1/none'],
    ['upgrade', '--check'],
  ])(`gantry %s does not say of what this user may not enter that it is missing${why}`, async (...args) => {
  chmodSync(whole, 0o700);
  const env = { DATA_DIR: args[0] === 'restore' ? join(place.path, 'restored') : whole };
  const refused = await gantry(args, { env, uid: nobodyUid });
  expect(refused).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(
      /permission denied, .*\. Give the user of this process access to that path/,
    ),
  });
});

test.skipIf(!isRoot)(
  `what root rotates, compacts or restores still belongs to the server's user${why}`,
  async () => {
    const data = join(place.path, 'data');
    const backup = join(place.path, 'one.gantry');
    cpSync(whole, data, { recursive: true });
    give(data, nobodyUid);
    try {
      for (const args of [
        ['key', 'rotate'],
        ['compact'],
        ['backup', backup],
        ['restore', backup, '--force'],
      ]) {
        expect(await gantry(args, { env: { DATA_DIR: data } })).toMatchObject({ code: 0 });
        const owners = readdirSync(data).map((name) => `${name}: ${statSync(join(data, name)).uid}`);
        expect(owners.filter((one) => !one.endsWith(`: ${nobodyUid}`))).toEqual([]);
      }
    } finally {
      rmSync(data, { recursive: true });
    }
  },
);

const lowPort = 1_023;
/** Containers often allow all ports. */
const mayListen =
  process.platform !== 'linux' ||
  Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) <= lowPort;

test.skipIf(!isRoot || mayListen)(
  `a port that takes privileges is reported by doctor, and at the start${mayListen ? ' (skipped: every user may listen)' : why}`,
  async () => {
    const data = join(place.path, 'of-another-user');
    cpSync(whole, data, { recursive: true });
    give(data, nobodyUid);
    const env = { DATA_DIR: data, HOST: '127.0.0.1', PORT: `${lowPort}` };
    expect(await problemsOf(env)).toEqual([
      'error port: no permission to listen at 127.0.0.1:1023 → Choose a PORT above 1023, with a proxy in front; or ' +
        'allow it: AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit.',
    ]);
    const started = await gantry(['serve'], {
      env: { ...env, GANTRY_DEMO: 'off' },
      uid: nobodyUid,
      endAfter: /listening on/,
    });
    expect(started).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No permission to listen there .*choose another PORT .*one above 1023/),
    });
    expect(started.stderr).not.toContain('    at ');
  },
);
