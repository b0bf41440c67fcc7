/** A JSON Schema, or a part of one. */
export type Schema = { readonly [keyword: string]: unknown };
/** Schemas by name, for `$ref`. */
export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Who fills a value in. What callers send may be accepted more widely later and never less widely; what the server
 * answers may gain fields and values of a choice, and nothing that was always there may go.
 */
export type Direction = 'sent' | 'answered';

interface Side {
  readonly schema: Schema;
  readonly schemas: Schemas;
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;
/** Keywords that must stay as they are, or go, for what callers send. */
const forms = ['pattern', 'format', 'propertyNames'] as const;

/**
 * What a client of `before` could no longer rely on with `after`, one sentence each; `at` names the value in them.
 */
export function narrowings(before: Side, after: Side, direction: Direction, at: string): string[] {
  return compare(before, after, direction, at, new Set());
}

function compare(left: Side, right: Side, direction: Direction, at: string, seen: Set<string>): string[] {
  const pair = `${left.schema.$ref} ${right.schema.$ref}`;
  if (left.schema.$ref !== undefined && right.schema.$ref !== undefined) {
    if (seen.has(pair)) return [];
    seen.add(pair);
  }
  const [before, after] = [resolved(left), resolved(right)];
  const [beforeOptions, afterOptions] = [optionsOf(before), optionsOf(after)];
  if (beforeOptions.length === 1 && afterOptions.length === 1) {
    return compareOne(
      { schema: before, schemas: left.schemas },
      { schema: after, schemas: right.schemas },
      direction,
      at,
      seen,
    );
  }
  // Every form that was accepted still is; no form is answered that was not before.
  const [those, among] = direction === 'sent' ? [beforeOptions, afterOptions] : [afterOptions, beforeOptions];
  const unmatched = those.filter((one) => {
    const matches = (other: Schema) => {
      const [from, to] = direction === 'sent' ? [one, other] : [other, one];
      const sides = [
        { schema: from, schemas: left.schemas },
        { schema: to, schemas: right.schemas },
      ] as const;
      return compare(...sides, direction, at, new Set(seen)).length === 0;
    };
    return !among.some(matches);
  });
  const change = direction === 'sent' ? 'no longer accepts' : 'may now be';
  return unmatched.map((one) => `${at} ${change} ${JSON.stringify(one).slice(0, 200)}`);
}

function compareOne(left: Side, right: Side, direction: Direction, at: string, seen: Set<string>): string[] {
  const [before, after] = [left.schema, right.schema];
  const problems: string[] = [];
  if (!fits(typeOf(before), typeOf(after), direction)) {
    return [`${at} was ${typeOf(before) ?? 'any value'} and is ${typeOf(after) ?? 'any value'}`];
  }
  const [had, has] = [choicesOf(before), choicesOf(after)];
  if (had && has) {
    const gone = had.filter((one) => !has.includes(one));
    if (gone.length > 0) problems.push(`${at} lost ${gone.join(', ')}`);
  } else if (has && direction === 'sent') problems.push(`${at} accepts only ${has.join(', ')}`);
  else if (had && direction === 'answered')
    problems.push(`${at} was one of ${had.join(', ')}, and is not now`);
  if (direction === 'sent') problems.push(...boundProblems(before, after, at));
  problems.push(...fieldProblems(left, right, direction, at, seen));
  for (const inner of ['items', 'additionalProperties'] as const) {
    const [from, to] = [before[inner], after[inner]];
    if (isSchema(from) && isSchema(to)) {
      const sides = [
        { ...left, schema: from },
        { ...right, schema: to },
      ] as const;
      problems.push(...compare(...sides, direction, `${at}[]`, seen));
    } else if (direction === 'sent' && isSchema(from) && to === false) {
      problems.push(`${at} no longer accepts other fields`);
    }
  }
  return problems;
}

function fieldProblems(
  left: Side,
  right: Side,
  direction: Direction,
  at: string,
  seen: Set<string>,
): string[] {
  const [had, has] = [fieldsOf(left.schema), fieldsOf(right.schema)];
  const [needed, needs] = [requiredOf(left.schema), requiredOf(right.schema)];
  const problems = Object.entries(had).flatMap(([name, from]) => {
    const to = has[name];
    if (!to) return [`${at}.${name} was removed`];
    const sides = [
      { ...left, schema: from },
      { ...right, schema: to },
    ] as const;
    return compare(...sides, direction, `${at}.${name}`, seen);
  });
  const [always, before] = direction === 'sent' ? [needs, needed] : [needed, needs];
  const change = direction === 'sent' ? 'is now required' : 'may now be omitted';
  const changed = always.filter((name) => !before.includes(name) && (direction === 'sent' || name in has));
  return [...problems, ...changed.map((name) => `${at}.${name} ${change}`)];
}

function boundProblems(before: Schema, after: Schema, at: string): string[] {
  const bound = (schema: Schema, name: string, none: number) => Number(schema[name] ?? none);
  const problems: string[] = [];
  for (const name of lowerBounds) {
    const [from, to] = [bound(before, name, -Infinity), bound(after, name, -Infinity)];
    if (to > from) problems.push(`${at}: ${name} rose from ${from} to ${to}`);
  }
  for (const name of upperBounds) {
    const [from, to] = [bound(before, name, Infinity), bound(after, name, Infinity)];
    if (to < from) problems.push(`${at}: ${name} fell from ${from} to ${to}`);
  }
  for (const name of forms) {
    if (after[name] === undefined || JSON.stringify(after[name]) === JSON.stringify(before[name])) continue;
    problems.push(`${at}: its ${name} has changed`);
  }
  return problems;
}

function fits(before: string | null, after: string | null, direction: Direction): boolean {
  const [narrow, wide] = direction === 'sent' ? [before, after] : [after, before];
  return wide === null || narrow === wide || (narrow === 'integer' && wide === 'number');
}

function resolved({ schema, schemas }: Side): Schema {
  if (typeof schema.$ref !== 'string') return schema;
  const name = schema.$ref.replace(/^.*\//, '');
  const found = schemas[name];
  if (!found) throw new Error(`there is no schema ${name}`);
  return resolved({ schema: found, schemas });
}

/** The forms that a value may take; a schema by itself is one. */
function optionsOf(schema: Schema): readonly Schema[] {
  const { anyOf, oneOf, type, ...rest } = schema;
  const forms = anyOf ?? oneOf;
  if (Array.isArray(forms)) return forms;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...rest, type: one })) : [schema];
}

function typeOf({ type, const: only }: Schema): string | null {
  if (typeof type === 'string') return type;
  return only === undefined ? null : typeof only;
}

function choicesOf({ enum: all, const: only }: Schema): unknown[] | null {
  if (Array.isArray(all)) return all;
  return only === undefined ? null : [only];
}

function fieldsOf({ properties }: Schema): Record<string, Schema> {
  return (properties ?? {}) as Record<string, Schema>;
}

function requiredOf({ required }: Schema): readonly string[] {
  return (required ?? []) as string[];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
