/**
 * Calls every operation as its case says and writes what was sent and answered, made presentable, to
 * `src/transports/openapi/examples.json`, which the API reference shows. To be run when an operation is added or changed:
 *
 *     node_modules/.bin/node test/openapi/record-examples.ts
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultName } from '../../src/core/schemas/default-name.ts';
import { isGuestAddress } from '../../src/core/schemas/fields.ts';
import { caseOf } from '../operations/cases.ts';
import { ownStyles } from '../support/call-styles.ts';
import { repository } from '../support/gantry-process.ts';
import { isAboutConnection, registry, takesToken } from '../support/registered.ts';
import { startTestServer } from '../support/server.ts';
import { bearer, createWorld, credentialFieldsOf, headersOf, type World } from '../support/world.ts';

/** An example of a list shows this many items. */
const shownItems = 2;
const exampleTime = 1795221996918;
/** Further from now than any time in a response, in milliseconds. */
const nearMs = 400 * 24 * 60 * 60 * 1000;

const gameId = '01a1fb91-be1f-72cb-b08d-dc44bcc5d621';
const ids = Array.from(
  { length: 20 },
  (_, index) => `01a1fb91-c5${(0x76 + index).toString(16)}-7513-ad82-375b218d2eaa`,
);
const ada = '0x4d78f8d53dd74e4e32744a6590449b375b75f7aa';
const grace = '0xd3217f01e725c26a07854e0369883f2931b22557';
const otherWallets = [
  '0xa588e61fb4e4a9b1fe162df15d5df80d7afbc5d0',
  '0xab904dbb1c5d5d2a62bbd0a0a2b6d7ff3a6a6b1d',
  '0x01d98af29c53f20daba0d7bbc9abe74299df28b1',
];

/** Content ids of states, which contain a text that differs between runs. */
const stateHashes = [
  'bafkreie24qev2kdronhzlzhyun2pcmnx7nbx4p7ii2z3go4ktvmnrom4bu',
  'bafkreie7cubydyztubos63prt3m7z5nvljedf43rhwdby5wijwoxpozrim',
  'bafkreihe7qlbblgzwdyhf7rat4ke45qzmaag5w47wqojqkzxbugeb7tmre',
];
const guestAddress = '0x67756573746f1c2d3e4b5a69788796a5b4c3d2e1';

/** Inputs that a test needs and a reader does not. */
const readable: Readonly<Record<string, object>> = { listEvents: { limit: 2 }, getServerStats: {} };

await using server = await startTestServer({ WEBHOOK_ALLOW_LOOPBACK: 'on' });
const file = join(repository, 'src/transports/openapi/examples.json');
const recorded: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'));
const examples: Record<string, unknown> = {};
for (const operation of registry.operations) {
  const world = await createWorld(server);
  const { input, caller: role = 'owner' } = caseOf(operation);
  const sent = readable[operation.name] ?? (await input(world, role));
  const style = isAboutConnection(operation) ? 'Socket.IO, signed in' : 'dedicated HTTP';
  using caller = await ownStyles[style](server.url);
  const headers = operation.auth === 'admin' ? bearer(server.adminToken) : headersOf(world, role);
  const token = takesToken(operation) ? credentialFieldsOf(world, role) : {};
  const { status, body } = await caller.call(operation, { ...token, ...sent }, headers);
  if (status !== 200) throw new Error(`${operation.name} answered ${status}: ${JSON.stringify(body)}`);
  const present = presenter(world);
  const example = { input: present(sent), output: present(body) };
  // Sizes, rates and the order of wallets differ between runs; what is recorded stays when nothing else has changed.
  const before = recorded[operation.name];
  examples[operation.name] = lasting(before) === lasting(example) ? before : example;
}
await writeFile(file, `${JSON.stringify(examples, null, 2)}\n`);
execFileSync(join(repository, 'node_modules/.bin/biome'), ['check', '--write', file]);
process.stdout.write(`${Object.keys(examples).length} examples in ${file}\n`);

/** What is the same in an example in every run. */
function lasting(example: unknown): string {
  const text = JSON.stringify(example, (_, value) => {
    if (typeof value === 'number') return 0;
    if (typeof value === 'string' && /^\d+$/.test(value)) return 0; // a cursor of the event log
    const isOfTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
    return isOfTexts ? value.toSorted() : value;
  });
  return text ?? '';
}

/** Replaces what differs between runs with values that are the same in every example. */
function presenter(world: World): (value: unknown) => unknown {
  const replaced = new Map<string, string>([
    [world.gameId, gameId],
    [world.gameSlug, 'space-race'],
    [world.owner.wallet, ada],
    [world.participant.wallet, grace],
    [world.canaries.message, 'One more round?'],
    [world.canaries.state, 'Ada'],
    [world.canaries.nonce, 'round-1'],
    [new URL(server.url).host, '127.0.0.1:3000'],
    // Earlier replacements stay.
    ...[gameId, ada, grace].map((value): [string, string] => [value, value]),
  ]);
  const freeIds = [...ids];
  const freeWallets = [...otherWallets];
  const freeHashes = [...stateHashes];
  const stableId = (id: string) => {
    const known = replaced.get(id) ?? freeIds.shift() ?? id;
    replaced.set(id, known).set(known, known);
    return known;
  };
  const stableHash = (hash: string) => {
    const known = replaced.get(hash) ?? freeHashes.shift() ?? hash;
    replaced.set(hash, known).set(known, known);
    return known;
  };
  const stableWallet = (wallet: string) => {
    const lower = wallet.toLowerCase();
    if (isGuestAddress(lower)) {
      replaced.set(defaultName(lower), defaultName(guestAddress));
      return guestAddress;
    }
    const known = replaced.get(lower) ?? freeWallets.shift() ?? ada;
    replaced.set(lower, known).set(known, known);
    return known;
  };
  const text = (value: string) => {
    let shown = value;
    for (const [own, stable] of replaced) shown = shown.replaceAll(own, stable);
    return shown
      .replace(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFZERTQSIsInR5cCI6ImxhdW5jaGVyK2p3dCJ9.eyJzdWIi…')
      .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, stableId)
      .replace(/\b0x[0-9a-fA-F]{130}\b/g, `0x${'5a'.repeat(64)}1b`)
      .replace(/\b0x[0-9a-fA-F]{40}\b/g, stableWallet)
      .replace(/0x[0-9a-f]{4}…[0-9a-f]{4}/g, '0xd321…2557')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, new Date(exampleTime).toISOString())
      .replace(/(?<=^Nonce: )[0-9a-f]{32}$/gm, '0d6f3a1c5b7e4f2a9c8d7e6f5a4b3c2d')
      .replace(/\bwhsec_[\w+/]{43}=/g, 'whsec_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c=')
      .replace(/\bgadm_[\w-]{43}/g, 'gadm_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c')
      .replace(/\bAda [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'Ada')
      .replace(/^bafkrei[a-z2-7]{52}$/, stableHash)
      .replace(/^\/admin\/backups\/[\w-]+$/, '/admin/backups/q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6')
      .replace(/\borbit-[0-9a-f]{16}\b/g, 'orbit')
      .replace(/^gantry-\d{8}T\d{9}Z-/, 'gantry-20261121T020636918Z-')
      .replace(/\bgd_[\w-]{43}/g, 'gd_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c')
      .replace(/\bgsk_[\w-]{43}/g, 'gsk_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c')
      .replace(/^[0-9a-f]{12}$/, '87ed381206ac')
      .replace(/^[0-9a-f]{16}$/, '06d0d1a2f3b4c5d6');
  };
  const present = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') {
      return Math.abs(value - Date.now()) < nearMs ? exampleTime : Math.round(value * 1000) / 1000;
    }
    if (Array.isArray(value)) return value.slice(0, shownItems).map(present);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), present(inner)]));
  };
  return present;
}
