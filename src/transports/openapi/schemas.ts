import { z } from 'zod';
import { reasons } from '../../core/errors.ts';
import { addressInput } from '../../core/schemas/fields.ts';
import { type AnyOperation, isOpenToServers, type Registry, takesToken } from '../../features/operation.ts';

export type Json = Record<string, unknown>;

const errorBody = z
  .object({
    success: z.literal(false),
    error: z.string(),
    name: z.string(),
    message: z.string(),
    code: z.int(),
    className: z.string(),
    data: z.object({
      reason: z.enum(Object.keys(reasons) as [keyof typeof reasons]),
      success: z.literal(false),
      error: z.string(),
      endReason: z.string().optional().meta({ description: 'For `session_ended`: why the session ended' }),
      label: z
        .string()
        .optional()
        .meta({ description: 'For `version_conflict`: the label of the state with a different version' }),
      missing: z
        .array(
          z.object({
            standard: z.string(),
            chainId: z.int(),
            contract: z.string(),
            tokenId: z.string().optional(),
            amount: z.string(),
            owned: z.string(),
          }),
        )
        .optional()
        .meta({ description: 'For `access_denied`: the tokens of which the player has too few' }),
      retryAfterSeconds: z
        .int()
        .min(0)
        .optional()
        .meta({ description: 'The delay before a retry, in seconds, as in the header `Retry-After`' }),
      update: z
        .object({ version: z.string(), url: z.string(), message: z.string() })
        .optional()
        .meta({ description: 'For `update_required`: what to install, and where; empty texts: not said' }),
      version: z.int().min(0).optional().meta({
        description:
          'The version of that state; 0: it does not exist. For `config_changed`, `news_changed` and `calendar_event_changed`: of the config, item or event',
      }),
    }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ description: 'The body of every error response' });

const optionalToken = z
  .string()
  .optional()
  .meta({ description: "The player's launcher token; a game's server omits it" });

const wallet = addressInput.optional().meta({
  description: "The player for whom the game's server calls, with the game's secret and without launcherJwt",
});

const token = z.string().meta({ description: "The player's launcher token" });

/** Every schema by name; records shared by several operations appear once, under their own name. */
export function components(registry: Registry): Json {
  const schemas: Json = {};
  const add = (name: string, schema: z.ZodType, io: 'input' | 'output') => {
    const { $schema, $defs, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    Object.assign(schemas, withNames({ ...$defs, [name]: converted }));
  };
  add('Error', errorBody, 'output');
  for (const operation of registry.operations) {
    add(`${operation.name}Input`, withToken(operation, operation.input), 'input');
    if (operation.dispatchInput) {
      add(dispatchSchemaName(operation), withToken(operation, operation.dispatchInput), 'input');
    }
    add(`${operation.name}Output`, operation.output, 'output');
    if (operation.otherForm) {
      add(`${operation.name}OtherInput`, operation.otherForm.input, 'input');
      add(`${operation.name}OtherOutput`, operation.otherForm.output, 'output');
    }
  }
  return portable(JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/')));
}

/** The properties of an object's schema, in the form for inputs. */
export function propertiesOf(schema: z.ZodObject): { properties: Json; required: readonly string[] } {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { properties: portable(properties), required };
}

/**
 * Removes what distracts or misleads: the bounds of safe integers, which zod adds to every integer, and patterns with
 * `\p{…}`. JSON Schema suggests the flag `u` for patterns (2020-12 Core, 6.4), but many validators don't set it, and
 * then refuse valid values. The pattern is in the description instead.
 */
function portable(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema, (_, value: unknown) => portableNode(value)));
}

function portableNode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const node: Json = { ...value };
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  const { pattern, description } = node;
  if (typeof pattern !== 'string' || !pattern.includes('\\p{')) return node;
  delete node.pattern;
  return { ...node, description: [description, `Matches \`/${pattern}/u\``].filter(Boolean).join('. ') };
}

/**
 * zod numbers unnamed schemas from 0 in each document, and needs them for recursive ones only. All of ours are
 * `z.json()`; another one needs a name of its own, `meta({ id })`.
 */
function withNames(schemas: Json): Json {
  const json = JSON.stringify(schemas).replaceAll(/"(#\/\$defs\/)?__schema\d+"/g, '"$1JsonValue"');
  return JSON.parse(json);
}

/** The input as sent by a caller, with the token that authentication removes. */
function withToken(operation: AnyOperation, schema: z.ZodObject): z.ZodObject {
  if (isOpenToServers(operation)) return z.object({ launcherJwt: optionalToken, wallet, ...schema.shape });
  if (operation.auth === 'player-or-anyone') {
    return z.object({ launcherJwt: optionalToken, ...schema.shape });
  }
  return takesToken(operation) ? z.object({ launcherJwt: token, ...schema.shape }) : schema;
}

export function dispatchSchemaName(operation: AnyOperation): string {
  return operation.dispatchInput ? `${operation.name}DispatchInput` : `${operation.name}Input`;
}
