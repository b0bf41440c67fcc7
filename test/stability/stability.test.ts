import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareVersions } from '../../src/features/games/version.ts';
import { narrowings, type Schema } from './narrowing.ts';
import { currentSurface, earlyContracts, losses, type Surface } from './surface.ts';

const folder = join(import.meta.dirname, 'releases');
const released = readdirSync(folder).map((name) => name.replace(/\.json$/, ''));
const surface = await currentSurface();

/** The surface with one change. */
function changed(change: (copy: Surface) => void): Surface {
  const copy = structuredClone(surface);
  change(copy);
  return copy;
}

/** The schemas, writable. */
function schemaOf({ schemas }: Surface, name: string) {
  return schemas[name] as { properties: Record<string, Record<string, unknown>>; required: string[] };
}

/** The values of a field that is a choice, writable. */
function choicesOf(copy: Surface, schema: string, field: string): string[] {
  return schemaOf(copy, schema).properties[field]?.enum as string[];
}

test.each(released)('this version keeps what %s promised', (version) => {
  const why = 'deprecate it first: see public/docs/stability.md';
  expect(losses(recorded(version), surface), why).toEqual([]);
});

function recorded(version: string): Surface {
  return JSON.parse(readFileSync(join(folder, `${version}.json`), 'utf8')) as Surface;
}

test('nodes of the last release can run beside this version', () => {
  const last = recorded(released.toSorted(compareVersions).at(-1) ?? '');
  expect(earlyContracts(last, surface), 'see Add a migration in CONTRIBUTING.md').toEqual([]);
  const { length = 0 } = surface.migrations.postgres ?? [];
  const next = changed(({ migrations }) => {
    migrations.postgres?.push({ name: 'more', since: null }, { name: 'less', since: length });
  });
  expect(earlyContracts(surface, next)).toEqual([]);
  expect(
    earlyContracts(
      surface,
      changed((copy) => copy.migrations.postgres?.push({ name: 'less', since: length + 1 })),
    ),
  ).toEqual([`postgres migration less requires schema ${length + 1}, and the release has ${length}`]);
});

test.each<[what: string, change: (copy: Surface) => void, loss: string]>([
  ['an operation', ({ operations }) => delete operations.setUserScore, 'operation setUserScore was removed'],
  [
    'a path',
    ({ operations }) => operations.getGames?.paths.splice(0, 1),
    'operation getGames: path POST /launcher/get-games was removed',
  ],
  [
    'an alias',
    ({ operations }) => operations.getServerStats?.aliases.splice(0),
    'operation getServerStats: alias serverFigures was removed',
  ],
  [
    'who may call an operation',
    ({ operations }) => Object.assign(operations.setUserScore ?? {}, { auth: 'admin' }),
    'operation setUserScore: its auth was player-or-server and is admin',
  ],
  [
    'a role',
    ({ operations }) => operations.listMessages?.roles.pop(),
    'operation listMessages: role read-only was removed',
  ],
  [
    'a field that is sent',
    (copy) => delete schemaOf(copy, 'setUserScoreInput').properties.label,
    'operation setUserScore: input.label was removed',
  ],
  [
    'a field that may be omitted',
    (copy) => schemaOf(copy, 'setUserScoreInput').required.push('label'),
    'operation setUserScore: input.label is now required',
  ],
  [
    'a limit',
    (copy) => Object.assign(schemaOf(copy, 'setUserScoreInput').properties.label ?? {}, { maxLength: 2 }),
    'operation setUserScore: input.label: maxLength fell from 64 to 2',
  ],
  [
    'the type of a field',
    (copy) => Object.assign(schemaOf(copy, 'setUserScoreInput').properties.label ?? {}, { type: 'integer' }),
    'operation setUserScore: input.label was string and is integer',
  ],
  [
    'a choice',
    (copy) => choicesOf(copy, 'getChannelMessagesInput', 'order').pop(),
    'operation getChannelMessages: input.order lost oldest',
  ],
  [
    'a field that is answered',
    (copy) => delete schemaOf(copy, 'FriendPresence').properties.gameId,
    'operation followPresence: answer.friends[].gameId was removed',
  ],
  [
    'a field that is always answered',
    (copy) => schemaOf(copy, 'getConfigOutput').required.pop(),
    'operation getConfig: answer.values may now be omitted',
  ],
  ['an event', ({ events }) => delete events['scores created'], 'event scores created was removed'],
  [
    'a field of an event',
    ({ events }) =>
      delete (events['config patched'] as { properties: Record<string, Schema> }).properties.gameId,
    'event config patched.gameId was removed',
  ],
  [
    'a webhook',
    ({ webhooks }) => webhooks.splice(webhooks.indexOf('scores.created'), 1),
    'webhook scores.created was removed',
  ],
  ['a reason', ({ reasons }) => delete reasons.rate_limited, 'reason rate_limited was removed'],
  [
    'the status of a reason',
    ({ reasons }) => Object.assign(reasons, { rate_limited: 503 }),
    'reason rate_limited was 429 and is 503',
  ],
  [
    'a setting',
    ({ settings }) => delete (settings.properties as Record<string, Schema>).KEEP_ALIVE_SECONDS,
    'setting.KEEP_ALIVE_SECONDS was removed',
  ],
  ['a command', ({ commands }) => delete commands['game create'], 'command game create was removed'],
  [
    'an option of a command',
    ({ commands }) => commands.token?.options.splice(0, 1),
    'command token: option --game <game> was removed',
  ],
  [
    'an option that was not needed',
    ({ commands }) => commands.token?.required.push('--username <name>'),
    'command token: --username <name> is now required',
  ],
  [
    'a name of the TypeScript SDK',
    ({ sdks }) => sdks.typescript?.splice(sdks.typescript.indexOf('GantryClient.close'), 1),
    'typescript SDK: GantryClient.close was removed',
  ],
  [
    'a name of the C# SDK',
    ({ sdks }) => sdks.csharp?.splice(sdks.csharp.indexOf('GantryClient.Close'), 1),
    'csharp SDK: GantryClient.Close was removed',
  ],
  [
    'a name of the GDScript SDK',
    ({ sdks }) => sdks.gdscript?.splice(sdks.gdscript.indexOf('gantry_core.close'), 1),
    'gdscript SDK: gantry_core.close was removed',
  ],
  [
    'a name of the Python SDK',
    ({ sdks }) => sdks.python?.splice(sdks.python.indexOf('GantryClient.close'), 1),
    'python SDK: GantryClient.close was removed',
  ],
  [
    'a migration',
    ({ migrations }) => migrations.sqlite?.splice(40, 1),
    'sqlite migration calendar was removed or changed',
  ],
])('%s cannot be taken away unnoticed', (_, change, loss) => {
  expect(losses(surface, changed(change))).toContain(loss);
});

test('additions are no losses', () => {
  const more = changed((copy) => {
    copy.operations.newOperation = { ...copy.operations.setUserScore } as Surface['operations'][string];
    schemaOf(copy, 'setUserScoreInput').properties.another = { type: 'string' };
    Object.assign(schemaOf(copy, 'setUserScoreInput').properties.label ?? {}, { maxLength: 2_000 });
    choicesOf(copy, 'getChannelMessagesInput', 'order').push('random');
    schemaOf(copy, 'FriendPresence').properties.another = { type: 'string' };
    schemaOf(copy, 'FriendPresence').required.push('another');
    copy.events['new created'] = { type: 'object' };
    copy.webhooks.push('new');
    copy.reasons.new_reason = 400;
    (copy.settings.properties as Record<string, Schema>).NEW_SETTING = { type: 'string' };
    copy.commands['new command'] = { arguments: [], options: [], required: [] };
    copy.commands.token?.options.push('--new');
    for (const names of Object.values(copy.sdks)) names.push('New.member');
    copy.migrations.sqlite?.push({ name: 'more', since: null });
  });
  expect(losses(surface, more)).toEqual([]);
});

test.each<[what: string, before: Schema, after: Schema, sent: number, answered: number]>([
  ['null is allowed', { type: 'string' }, { anyOf: [{ type: 'string' }, { type: 'null' }] }, 0, 1],
  ['null is forbidden', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string' }, 1, 0],
  ['an integer becomes any number', { type: 'integer' }, { type: 'number' }, 0, 1],
  ['a number becomes an integer', { type: 'number' }, { type: 'integer' }, 1, 0],
  ['any text becomes a choice', { type: 'string' }, { type: 'string', enum: ['a'] }, 1, 0],
  ['a pattern is added', { type: 'string' }, { type: 'string', pattern: '^a' }, 1, 0],
  ['more values are answered', { enum: ['a'] }, { enum: ['a', 'b'] }, 0, 0],
  ['a list holds something else', { items: { type: 'string' } }, { items: { type: 'integer' } }, 1, 1],
])('%s', (_, before, after, sent, answered) => {
  const sides = [
    { schema: before, schemas: {} },
    { schema: after, schemas: {} },
  ] as const;
  expect(narrowings(...sides, 'sent', 'it')).toHaveLength(sent);
  expect(narrowings(...sides, 'answered', 'it')).toHaveLength(answered);
});
