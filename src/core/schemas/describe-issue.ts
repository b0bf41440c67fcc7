import type { z } from 'zod';
import { grouped } from './grouped.ts';

type Issue = z.core.$ZodRawIssue;

/** zod's type names, as they read in a sentence. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Messages for formats whose schemas define none. */
const formatNames: Readonly<Record<string, string>> = {
  url: 'must be a URL such as https://game.example/page',
  uuid: 'must be a UUID',
};

/**
 * A description of an issue that reads after the field's name: `must be at least 1`. zod's own messages name its types
 * and comparison operators. Undefined where zod's message is good enough; a schema's own message takes precedence.
 */
export function describeIssue(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue);
    case 'too_small':
      return describeBound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return describeBound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'invalid_value':
      return `must be ${listOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'invalid_format':
      return formatNames[issue.format];
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return describeUnion(issue.errors);
    default:
      return undefined;
  }
}

function describeType({ expected, input }: Issue & { code: 'invalid_type' }): string | undefined {
  if (input === undefined) return 'is required';
  const name = typeNames[expected];
  return name && `must be ${name}`;
}

function describeBound({ origin }: { origin: string }, bound: number | bigint, comparison: string): string {
  const count = grouped(bound);
  const plural = Number(bound) === 1 ? '' : 's';
  if (origin === 'string') {
    const isNotEmpty = comparison === 'at least' && Number(bound) === 1;
    return isNotEmpty ? 'must not be empty' : `must be ${comparison} ${count} character${plural} long`;
  }
  if (origin === 'array' || origin === 'set')
    return `must have ${comparison} ${count} ${plural ? 'entries' : 'entry'}`;
  return `must be ${comparison} ${count}`;
}

/** Lists the allowed types when none matches; otherwise describes the issue with the closest matching type. */
function describeUnion(errors: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const firsts = errors.flatMap(([first]) => first ?? []);
  const isTypeMismatch = ({ code, path }: z.core.$ZodIssue) =>
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
  const closest = firsts.find((issue) => !isTypeMismatch(issue));
  if (closest) return [...closest.path.map(String), closest.message].join(': ');
  const names = firsts.map(({ message }) => message.replace(/^must be /, ''));
  return names.length === 0 ? undefined : `must be ${listOf([...new Set(names)])}`;
}

/** `a`, `a or b`, `a, b or c` */
function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
