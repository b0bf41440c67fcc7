import { z } from 'zod';
import { catalogue, signals } from '../events/catalogue.ts';
import { operations } from '../operations/operations.ts';

/** The parts of JSON Schema that `z.toJSONSchema` makes of our schemas. */
interface Schema {
  type?: string | string[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

const jsonValue =
  'export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };\n';

/**
 * `src/client/operation-types.ts` as TypeScript that needs nothing else: what every operation takes and
 * answers, and the record of every event and signal, without zod and the server they are derived from.
 */
export function operationTypes(): string {
  const records = new Map<string, string>();
  const callable = operations.filter(({ service }) => service !== 'admin');
  const operationLines = callable.map((one) => {
    const input = 'dispatchInput' in one && one.dispatchInput ? one.dispatchInput : one.input;
    const [takes, answers] = [typeOf(input, 'input', records), typeOf(one.output, 'output', records)];
    return `  /** ${one.summary}. */\n  ${one.name}: { input: ${takes}; output: ${answers} };`;
  });
  const heardLines = Object.entries({ ...catalogue, ...signals }).map(
    ([name, record]) => `  '${name}': ${typeOf(record, 'output', records)};`,
  );
  return [
    jsonValue,
    ...[...records.values()].map((record) => `${record}\n`),
    `export interface Operations {\n${operationLines.join('\n')}\n}\n`,
    `/** Everything a client can listen to, with its record. */\nexport interface Heard {\n${heardLines.join('\n')}\n}\n`,
    '/** The name of every operation there is, save those of administrators. */',
    'export type OperationName = keyof Operations;',
    '/** What an operation takes; the token is added by the client. */',
    "export type OperationInput<Name extends OperationName> = Operations[Name]['input'];",
    '/** What an operation answers. */',
    "export type OperationOutput<Name extends OperationName> = Operations[Name]['output'];",
    'export type HeardName = keyof Heard;\n',
  ].join('\n');
}

function typeOf(schema: z.ZodType, io: 'input' | 'output', records: Map<string, string>): string {
  // Known to be JSON Schema of the draft asked for, which is what `Schema` describes.
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  for (const [name, record] of Object.entries(json.$defs ?? {})) {
    if (!isJsonValue(name)) records.set(name, `${comment(record, '')}export type ${name} = ${text(record)};`);
  }
  return text(json);
}

function text(schema: Schema): string {
  const { $ref, type, items, additionalProperties } = schema;
  if ($ref !== undefined) return named($ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.map((one) => `(${text(one)})`).join(' | ');
  if (Array.isArray(type)) return type.map((one) => text({ ...schema, type: one })).join(' | ');
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'array') return `(${items ? text(items) : 'unknown'})[]`;
  if (type !== 'object') return 'unknown';
  if (schema.properties) return shape(schema.properties, schema.required ?? []);
  return `{ [key: string]: ${typeof additionalProperties === 'object' ? text(additionalProperties) : 'unknown'} }`;
}

function shape(properties: Record<string, Schema>, required: readonly string[]): string {
  const lines = Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name);
    const type = `${text(property)}${isRequired ? '' : ' | undefined'}`;
    return `${comment(property, ' ')}${JSON.stringify(name)}${isRequired ? '' : '?'}: ${type};`;
  });
  return `{ ${lines.join(' ')} }`;
}

function comment({ description }: Schema, after: string): string {
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */${after || '\n'}`;
}

function named(reference: string): string {
  const name = reference.slice('#/$defs/'.length);
  return isJsonValue(name) ? 'JsonValue' : name;
}

/** The one schema that refers to itself has no name of its own. */
function isJsonValue(name: string): boolean {
  return name.startsWith('__schema');
}
