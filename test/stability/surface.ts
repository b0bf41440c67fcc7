import type { Command } from 'commander';
import { z } from 'zod';
import { createProgram } from '../../src/cli/program.ts';
import { environment } from '../../src/config.ts';
import { reasons } from '../../src/core/errors.ts';
import type { Migration } from '../../src/core/storage/migrations.ts';
import { migrations as postgresMigrations } from '../../src/engines/postgres/migrate.ts';
import { migrations as sqliteMigrations } from '../../src/engines/sqlite/migrate.ts';
import { namesOf } from '../../src/features/operation.ts';
import { webhookTypes } from '../../src/features/webhooks/webhook-events.ts';
import { events, signals } from '../../src/server/declarations/events.ts';
import { components } from '../../src/transports/openapi/schemas.ts';
import { pathOf, registry } from '../support/registered.ts';
import { narrowings, type Schema, type Schemas } from './narrowing.ts';
import { publicNames } from './public-names.ts';

/** All that others build on, as plain data: what a release promises. public/docs/stability.md says so in words. */
export interface Surface {
  /** By name: where it is called, and who may. The schemas are `<name>Input` and `<name>Output`. */
  operations: Record<
    string,
    { paths: string[]; service: string; kind: string; auth: string; aliases: string[]; roles: string[] }
  >;
  schemas: Schemas;
  /** By name: the schema of its record. */
  events: Record<string, Schema>;
  webhooks: string[];
  /** By name: the HTTP status. */
  reasons: Record<string, number>;
  settings: Schema;
  /** By name, as in `game create`: arguments and options, as in the help. */
  commands: Record<string, { arguments: string[]; options: string[]; required: string[] }>;
  /** By language. */
  sdks: Record<string, string[]>;
  /** By engine, in order: the migrations, and of a contract step the lowest schema that a program must know. */
  migrations: Record<string, { name: string; since: number | null }[]>;
}

export async function currentSurface(): Promise<Surface> {
  const operations = registry.operations.map((operation): [string, Surface['operations'][string]] => {
    const { name, service, kind, auth, getPath } = operation;
    const paths = [`POST ${pathOf(operation)}`, ...(getPath ? [`GET ${getPath}`] : [])];
    return [
      name,
      {
        paths,
        service,
        kind,
        auth,
        aliases: namesOf(operation).slice(1),
        roles: [...(operation.roles ?? [])],
      },
    ] as const;
  });
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output') =>
    withoutTexts(z.toJSONSchema(schema, { io, unrepresentable: 'any' })) as Schema;
  return {
    operations: Object.fromEntries(operations),
    schemas: withoutTexts(components(registry)) as Schemas,
    events: Object.fromEntries(
      Object.entries({ ...events, ...signals }).map(([name, record]) => [name, schemaOf(record, 'output')]),
    ),
    webhooks: Object.values(webhookTypes),
    reasons: { ...reasons },
    settings: schemaOf(environment, 'input'),
    commands: Object.fromEntries(commandsOf(createProgram(), '')),
    sdks: await publicNames(),
    migrations: { sqlite: stepsOf(sqliteMigrations), postgres: stepsOf(postgresMigrations) },
  };
}

/** What `after` lacks of `before`, or refuses that it accepted, one sentence each. */
export function losses(before: Surface, after: Surface): string[] {
  return [
    ...operationLosses(before, after),
    ...Object.entries(before.events).flatMap(([name, from]) => {
      const to = after.events[name];
      const sides = [sideOf(from), sideOf(to ?? {})] as const;
      return to ? narrowings(...sides, 'answered', `event ${name}`) : [`event ${name} was removed`];
    }),
    ...removed('webhook', before.webhooks, after.webhooks),
    ...Object.entries(before.reasons).flatMap(([reason, code]) => {
      const now = after.reasons[reason];
      if (now === undefined) return [`reason ${reason} was removed`];
      return now === code ? [] : [`reason ${reason} was ${code} and is ${now}`];
    }),
    ...narrowings(sideOf(before.settings), sideOf(after.settings), 'sent', 'setting'),
    ...Object.entries(before.commands).flatMap(([name, from]) => {
      const to = after.commands[name];
      if (!to) return [`command ${name} was removed`];
      return [
        ...removed(`command ${name}: argument`, from.arguments, to.arguments),
        ...removed(`command ${name}: option`, from.options, to.options),
        ...to.required
          .filter((one) => !from.required.includes(one))
          .map((one) => `command ${name}: ${one} is now required`),
      ];
    }),
    ...Object.entries(before.sdks).flatMap(([language, names]) =>
      removed(`${language} SDK:`, names, after.sdks[language] ?? []),
    ),
    ...Object.entries(before.migrations).flatMap(([engine, steps]) =>
      steps
        .filter((step, at) => JSON.stringify(after.migrations[engine]?.[at]) !== JSON.stringify(step))
        .map(({ name }) => `${engine} migration ${name} was removed or changed`),
    ),
  ];
}

/**
 * Contract steps since the last release that remove what it still uses: they would end its nodes, which the new version
 * must run beside.
 */
export function earlyContracts(last: Surface, after: Surface): string[] {
  return Object.entries(last.migrations).flatMap(([engine, { length }]) =>
    (after.migrations[engine] ?? [])
      .slice(length)
      .filter(({ since }) => since !== null && since > length)
      .map(
        ({ name, since }) =>
          `${engine} migration ${name} requires schema ${since}, and the release has ${length}`,
      ),
  );
}

function stepsOf(migrations: readonly Migration<unknown>[]): Surface['migrations'][string] {
  return migrations.map(({ name, since }) => ({ name, since }));
}

function operationLosses(before: Surface, after: Surface): string[] {
  return Object.entries(before.operations).flatMap(([name, from]) => {
    const to = after.operations[name];
    if (!to) return [`operation ${name} was removed`];
    const at = `operation ${name}`;
    const changed = (['service', 'kind', 'auth'] as const)
      .filter((field) => from[field] !== to[field])
      .map((field) => `${at}: its ${field} was ${from[field]} and is ${to[field]}`);
    const schema = (side: Surface, what: string) => ({
      schema: side.schemas[`${name}${what}`] ?? {},
      schemas: side.schemas,
    });
    return [
      ...changed,
      ...removed(`${at}: path`, from.paths, to.paths),
      ...removed(`${at}: alias`, from.aliases, to.aliases),
      ...removed(`${at}: role`, from.roles, to.roles),
      ...narrowings(schema(before, 'Input'), schema(after, 'Input'), 'sent', `${at}: input`),
      ...narrowings(schema(before, 'Output'), schema(after, 'Output'), 'answered', `${at}: answer`),
    ];
  });
}

function removed(what: string, before: readonly string[], after: readonly string[]): string[] {
  const has = new Set(after);
  return before.filter((one) => !has.has(one)).map((one) => `${what} ${one} was removed`);
}

function sideOf(schema: Schema) {
  return { schema, schemas: (schema.$defs ?? {}) as Schemas };
}

function commandsOf(command: Command, name: string): [string, Surface['commands'][string]][] {
  const own = {
    arguments: command.registeredArguments.map((one) => one.name()),
    options: command.options.map((one) => one.flags),
    required: [
      ...command.registeredArguments.filter((one) => one.required).map((one) => one.name()),
      ...command.options.filter((one) => one.mandatory).map((one) => one.flags),
    ],
  };
  const inner = command.commands.flatMap((one) => commandsOf(one, `${name} ${one.name()}`.trim()));
  return command.commands.length > 0 && name === '' ? inner : [[name, own], ...inner];
}

/** The schema without what only people read. */
function withoutTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTexts);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => {
    // A field may have one of these names; its schema is an object.
    const isText = ['description', 'title', '$schema', 'default', 'deprecated', 'examples'].includes(key);
    return !isText || (typeof value === 'object' && !Array.isArray(value));
  });
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutTexts(value)]));
}
