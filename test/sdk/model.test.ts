import { expect, test } from 'vitest';
import { pascalCase, type SdkType, sdkModel, snakeCase } from '../../src/sdk/generators/model.ts';
import { events, signals } from '../../src/server/declarations/events.ts';
import { operations } from '../../src/server/declarations/operations.ts';
import recorded from '../../src/transports/openapi/examples.json' with { type: 'json' };
import { misfits } from './fits-model.ts';

const model = sdkModel();
const examples: Readonly<Record<string, { input: unknown; output: unknown }>> = recorded;

function recordsIn(type: SdkType): string[] {
  if (type.kind === 'record') return [type.name];
  if (type.kind === 'list' || type.kind === 'map') return recordsIn(type.of);
  return type.kind === 'union' ? type.of.flatMap(recordsIn) : [];
}

test("the model has every operation except administrators', and every event", () => {
  const callable = operations.filter(({ auth }) => auth !== 'admin');
  expect(model.operations.map(({ name }) => name)).toEqual(callable.map(({ name }) => name));
  expect(model.events.map(({ name }) => name)).toEqual([...Object.keys(events), ...Object.keys(signals)]);
});

test('every named record exists once, and every existing one is named', () => {
  const named = new Set([
    ...model.operations.flatMap(({ input, output }) => (input === null ? [output] : [input, output])),
    ...model.events.map(({ record }) => record),
    ...model.records.flatMap(({ fields }) => fields.flatMap(({ type }) => recordsIn(type))),
  ]);
  expect(model.records.map(({ name }) => name)).toEqual([...named].toSorted());
});

test.each(model.operations.filter(({ name }) => Object.hasOwn(examples, name)))(
  'the recorded input and output of $name match its records',
  ({ name, input, output }) => {
    const example = examples[name];
    if (input !== null) expect(misfits(model, { kind: 'record', name: input }, example?.input)).toEqual([]);
    expect(misfits(model, { kind: 'record', name: output }, example?.output)).toEqual([]);
  },
);

test('a mismatch is found', () => {
  const output = { success: true, newScore: { score: 'many' } };
  expect(misfits(model, { kind: 'record', name: 'SetUserScoreOutput' }, output)).toContain(
    '.newScore.score: no number',
  );
});

test('an operation says who calls it, and whether it may be retried', () => {
  const byName = new Map(model.operations.map((one) => [one.name, one]));
  expect(byName.get('setUserScore')).toMatchObject({
    token: 'optional',
    server: 'player',
    repeat: 'with-key',
    isAboutConnection: false,
    input: 'SetUserScoreInput',
    output: 'SetUserScoreOutput',
  });
  expect(byName.get('getGames')).toMatchObject({ token: 'none', server: 'no', repeat: 'always' });
  expect(byName.get('createGuest')).toMatchObject({ token: 'none', repeat: 'never' });
  expect(byName.get('notifyPlayers')).toMatchObject({ token: 'none', server: 'game' });
  expect(byName.get('subscribe')).toMatchObject({ token: 'required', isAboutConnection: true });
  expect(byName.get('channelHeartbeat')).toMatchObject({ input: null, repeat: 'always' });
});

test("names follow the languages' conventions", () => {
  expect(['setUserScore', 'chat-messages created', '_id'].map(pascalCase)).toEqual([
    'SetUserScore',
    'ChatMessagesCreated',
    'Id',
  ]);
  expect(
    ['setUserScore', 'chat-messages created', '_id', 'launcherJwt', 'normalizedAddress'].map(snakeCase),
  ).toEqual(['set_user_score', 'chat_messages_created', 'id', 'launcher_jwt', 'normalized_address']);
});
