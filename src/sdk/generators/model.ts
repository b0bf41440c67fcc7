import { z } from 'zod';
import { type Reason, reasons } from '../../core/errors.ts';
import {
  type AnyOperation,
  acceptsToken,
  isOpenToServers,
  type OperationKind,
  takesToken,
} from '../../features/operation.ts';
import { events, signals } from '../../server/declarations/events.ts';
import { operations } from '../../server/declarations/operations.ts';

/**
 * The type of a field or of a list's items.
 * - `integer`: an integer that a double represents exactly, from -(2^53 - 1) to 2^53 - 1; times are in milliseconds
 * - `boolean`, with `isAlwaysTrue`: `true` or omitted
 * - `json`: any JSON value
 * - `choice`: one of these strings; later versions of the server may add others
 * - `record`: an object of `SdkModel.records`, by name
 * - `map`: an object with any keys
 * - `union`: one of several scalar types
 */
export type SdkType =
  | { kind: 'string' | 'integer' | 'number' | 'boolean' | 'json' }
  | { kind: 'boolean'; isAlwaysTrue: true }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'list' | 'map'; of: SdkType }
  | { kind: 'record'; name: string }
  | { kind: 'union'; of: readonly SdkType[] };

export interface SdkField {
  /** The wire name, in camelCase; ids are `_id`. */
  name: string;
  type: SdkType;
  /** May be omitted, by callers in an input and by the server in an answer or an event. */
  isOptional: boolean;
  isNullable: boolean;
  /** A sentence or two, in Markdown; empty when the name is self-explanatory. */
  description: string;
}

/** An object with known fields. */
export interface SdkRecord {
  /** PascalCase, unique in the model. */
  name: string;
  description: string;
  /** In declaration order. */
  fields: readonly SdkField[];
}

export interface SdkOperation {
  /** camelCase; sent as the socket's event and as `X-Service-Method`. */
  name: string;
  service: string;
  /** One sentence without a full stop. */
  summary: string;
  kind: OperationKind;
  /** Whether the player's launcher token is required, optional or ignored. */
  token: 'required' | 'optional' | 'none';
  /**
   * Whether a game's server may call it with the game's secret; with `player`, the input also has the player's
   * `wallet`.
   */
  server: 'no' | 'game' | 'player';
  /** Concerns the connection it is called on, and is refused over HTTP. */
  isAboutConnection: boolean;
  /**
   * Whether it may be retried when there was no answer: always, with the `idempotencyKey` of the first attempt, or
   * never, since it might be executed twice.
   */
  repeat: 'always' | 'with-key' | 'never';
  /** The record of its input, without credentials; null when it has no fields. */
  input: string | null;
  /** The record of its answer. */
  output: string;
}

/** An event or signal that the server pushes. */
export interface SdkEvent {
  /** `<service> <event>`, as on the wire. */
  name: string;
  record: string;
  /** Delivered at most once, without a sequence number, and not replayed. */
  isSignal: boolean;
}

export interface SdkReason {
  reason: Reason;
  /** The HTTP status, which is the error's `code` over the socket too. */
  code: number;
}

/** The operations and events for games, as plain data from which the SDK of every language is generated. */
export interface SdkModel {
  /** Without those of administrators, whose token must not be in a game. */
  operations: readonly SdkOperation[];
  events: readonly SdkEvent[];
  /** By name. */
  records: readonly SdkRecord[];
  reasons: readonly SdkReason[];
}

/** The subset of JSON Schema that zod produces from the operations' schemas. */
interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  enum?: string[];
  const?: unknown;
}

/** The model of this version of the server. */
export function sdkModel(): SdkModel {
  const records = new Records();
  const callable: readonly AnyOperation[] = operations.filter(({ service }) => service !== 'admin');
  return {
    operations: callable.map((operation) => describeOperation(operation, records)),
    events: [
      ...Object.entries(events).map(([name, record]) => describeEvent(name, record, false, records)),
      ...Object.entries(signals).map(([name, record]) => describeEvent(name, record, true, records)),
    ],
    records: records.all(),
    reasons: Object.entries(reasons).map(([reason, code]) => ({ reason: reason as Reason, code })),
  };
}

function describeOperation(operation: AnyOperation, records: Records): SdkOperation {
  const { name, service, summary, kind, output } = operation;
  // Every SDK calls over the socket or by method dispatch, so it uses their input.
  const input = operation.dispatchInput ?? operation.input;
  const isWithoutFields = Object.keys(input.shape).length === 0;
  const place = pascalCase(name);
  return {
    name,
    service,
    summary,
    kind,
    token: takesToken(operation) ? 'required' : acceptsToken(operation) ? 'optional' : 'none',
    server: serverAccess(operation),
    isAboutConnection: service === 'realtime-events',
    repeat: repeatOf(operation),
    input: isWithoutFields ? null : records.add(input, 'input', `${place}Input`, `What ${name} takes`),
    output: records.add(output, 'output', `${place}Output`, `What ${name} answers`),
  };
}

function serverAccess(operation: AnyOperation): SdkOperation['server'] {
  if (isOpenToServers(operation)) return 'player';
  return operation.auth === 'game-secret' ? 'game' : 'no';
}

function repeatOf({ kind, isRepeatable }: AnyOperation): SdkOperation['repeat'] {
  if (kind === 'read' || isRepeatable) return 'always';
  return kind === 'write' ? 'with-key' : 'never';
}

function describeEvent(name: string, record: z.ZodType, isSignal: boolean, records: Records): SdkEvent {
  return { name, record: records.add(record, 'output', pascalCase(name), `Of \`${name}\``), isSignal };
}

/** Names every object: by its own id, or by the place where it was found. */
class Records {
  readonly #byName = new Map<string, SdkRecord>();

  all(): SdkRecord[] {
    return [...this.#byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Adds an object's schema and all nested ones. Returns its name: its own id, or else `place`. */
  add(schema: z.ZodType, io: 'input' | 'output', place: string, description: string): string {
    const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
    const definitions = converted.$defs ?? {};
    const type = this.#typeOf({ description, ...converted }, place, definitions);
    if (type.kind !== 'record') throw new Error(`${place} is not an object`);
    return type.name;
  }

  #typeOf(schema: Schema, place: string, definitions: Record<string, Schema>): SdkType {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice('#/$defs/'.length);
      // The only recursive schema has no id: it is that of a JSON value.
      if (name.startsWith('__schema')) return { kind: 'json' };
      return this.#typeOf(definitions[name] ?? {}, name, definitions);
    }
    if (schema.anyOf) {
      const parts = schema.anyOf.filter(({ type }) => type !== 'null');
      const [only] = parts;
      if (only && parts.length === 1) return this.#typeOf(only, place, definitions);
      return { kind: 'union', of: parts.map((part) => this.#typeOf(part, place, definitions)) };
    }
    if (schema.const === true) return { kind: 'boolean', isAlwaysTrue: true };
    if (typeof schema.const === 'string') return { kind: 'choice', values: [schema.const] };
    if (schema.enum) return { kind: 'choice', values: schema.enum };
    const type = [schema.type].flat().find((one) => one !== 'null');
    switch (type) {
      case 'string':
      case 'integer':
      case 'number':
      case 'boolean':
        return { kind: type };
      case 'array':
        return { kind: 'list', of: this.#typeOf(schema.items ?? {}, `${place}Item`, definitions) };
      case 'object': {
        if (schema.properties) return this.#record(schema, place, definitions);
        const values = schema.additionalProperties;
        const of = typeof values === 'object' ? values : {};
        return { kind: 'map', of: this.#typeOf(of, `${place}Value`, definitions) };
      }
      case undefined:
        return { kind: 'json' };
      default:
        throw new Error(`${place} has the type ${type}, which SDKs do not support`);
    }
  }

  #record(schema: Schema, name: string, definitions: Record<string, Schema>): SdkType {
    const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => ({
      name: field,
      type: this.#typeOf(one, name + pascalCase(field), definitions),
      isOptional: !schema.required?.includes(field),
      isNullable: isNullable(one),
      description: descriptionOf(one),
    }));
    const record = { name, description: schema.description ?? '', fields };
    const known = this.#byName.get(name);
    if (known && JSON.stringify(known.fields) !== JSON.stringify(fields)) {
      throw new Error(`two different records are named ${name}: give one another name with .meta({ id })`);
    }
    this.#byName.set(name, known ?? record);
    return { kind: 'record', name };
  }
}

function isNullable({ type, anyOf }: Schema): boolean {
  return [type].flat().includes('null') || (anyOf?.some((one) => one.type === 'null') ?? false);
}

/** The description of a nullable schema may be on its non-null variant. */
function descriptionOf({ description, anyOf }: Schema): string {
  return description ?? anyOf?.find((one) => one.description !== undefined)?.description ?? '';
}

/** `setUserScore` → `SetUserScore`; `chat-messages created` → `ChatMessagesCreated`; `_id` → `Id` */
export function pascalCase(name: string): string {
  return words(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** `setUserScore` → `set_user_score`; `chat-messages created` → `chat_messages_created`; `_id` → `id` */
export function snakeCase(name: string): string {
  return words(name)
    .map((word) => word.toLowerCase())
    .join('_');
}

function words(name: string): string[] {
  return name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
}
