import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { z } from 'zod';
import { catalogue, signals } from '../catalogue/events.ts';
import { operations } from '../catalogue/operations.ts';

type Schemas = Record<string, JSONSchema>;

/** The rest of the module, beside the generated `Operations` and `Heard`. */
const names = `
/** The name of every operation except those of administrators. */
export type OperationName = keyof Operations;
/** An operation's input; the client adds the token. */
export type OperationInput<Name extends OperationName> = Operations[Name]['input'];
/** An operation's output. */
export type OperationOutput<Name extends OperationName> = Operations[Name]['output'];
export type HeardName = keyof Heard;
`;

/**
 * `src/client/operation-types.ts` as TypeScript without dependencies: the inputs and outputs of every operation,
 * and the record of every event and signal, without zod and the server they are derived from.
 */
export async function clientTypes(): Promise<string> {
  const definitions: Schemas = {};
  const callable = operations.filter(({ service }) => service !== 'admin');
  const operationSchemas = callable.map((one): [string, JSONSchema] => {
    const input = 'dispatchInput' in one && one.dispatchInput ? one.dispatchInput : one.input;
    const properties = {
      input: schemaOf(input, 'input', definitions),
      output: schemaOf(one.output, 'output', definitions),
    };
    return [one.name, { description: `${one.summary}.`, ...objectOf(properties) }];
  });
  const heardSchemas = Object.entries({ ...catalogue, ...signals }).map(
    ([name, record]): [string, JSONSchema] => [name, schemaOf(record, 'output', definitions)],
  );
  definitions.Heard = {
    description: 'Every event and signal a client can listen to, with its record.',
    ...objectOf(Object.fromEntries(heardSchemas)),
  };
  const root: JSONSchema = { ...objectOf(Object.fromEntries(operationSchemas)), $defs: definitions };
  const generated = await compile(root, 'Operations', {
    additionalProperties: false,
    bannerComment: '',
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
    style: { printWidth: 110, singleQuote: true },
  });
  return generated + names;
}

function objectOf(properties: Schemas): JSONSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** A schema as JSON Schema; the named records in it are added to the definitions. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', definitions: Schemas): JSONSchema {
  const json = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  // The one schema that refers to itself has no name of its own.
  const { $schema: _, $defs = {}, ...rest } = JSON.parse(json.replaceAll(/__schema\d+/g, 'JsonValue'));
  Object.assign(definitions, $defs);
  return rest;
}
