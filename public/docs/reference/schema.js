/**
 * The parts of JSON Schema that the document uses.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | readonly string[]} [type]
 * @property {string} [description]
 * @property {unknown} [const]
 * @property {readonly unknown[]} [enum]
 * @property {unknown} [default]
 * @property {string} [format]
 * @property {string} [pattern]
 * @property {Readonly<Record<string, Schema>>} [properties]
 * @property {readonly string[]} [required]
 * @property {Schema} [items]
 * @property {Schema | boolean} [additionalProperties]
 * @property {readonly Schema[]} [anyOf]
 * @property {readonly Schema[]} [oneOf]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [exclusiveMinimum]
 * @property {number} [minLength]
 * @property {number} [maxLength]
 * @property {number} [minItems]
 * @property {number} [maxItems]
 */

/** @typedef {Readonly<Record<string, Schema>>} Schemas by name */

/**
 * A field as a reader needs it.
 * @typedef {object} Field
 * @property {string} name
 * @property {string} type `array of LeaderboardEntry`, `"asc" | "desc"`
 * @property {readonly string[]} limits `1–200 characters`
 * @property {string} description
 * @property {boolean} isRequired
 * @property {readonly FieldGroup[]} groups the fields of its objects
 */

/**
 * The fields of an object. Where an object has one of several forms, each form is a group with a title.
 * @typedef {{ title: string, fields: readonly Field[] }} FieldGroup
 */

const reference = '#/components/schemas/';
const anything = 'any JSON value';

/**
 * The fields of a schema's objects, with records inlined.
 * @param {Schema} schema
 * @param {Schemas} schemas
 * @param {readonly string[]} [within] the records that it is part of: a recursive one is not inlined again
 * @returns {FieldGroup[]}
 */
export function fieldGroups(schema, schemas, within = []) {
  const { shape, name } = resolved(schema, schemas);
  if (within.includes(name)) return [];
  const inside = name === '' ? within : [...within, name];
  if (shape.items) return fieldGroups(shape.items, schemas, inside);
  const forms = formsOf(shape);
  if (forms.length > 0) {
    return forms.flatMap((form) =>
      fieldGroups(form, schemas, inside).map(({ title, fields }) => ({
        title: title || titleOf(form, schemas),
        fields,
      })),
    );
  }
  if (shape.properties) {
    const fields = Object.entries(shape.properties).map(([key, value]) =>
      fieldOf(key, value, shape.required?.includes(key) ?? false, schemas, inside),
    );
    return fields.length > 0 ? [{ title: '', fields }] : [];
  }
  if (typeof shape.additionalProperties === 'object') {
    return fieldGroups(shape.additionalProperties, schemas, inside);
  }
  return [];
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} isRequired
 * @param {Schemas} schemas
 * @param {readonly string[]} within
 * @returns {Field}
 */
function fieldOf(name, schema, isRequired, schemas, within) {
  const { shape, isNullable, description } = resolved(schema, schemas);
  return {
    name,
    type: typeOf(schema, schemas) + (isNullable ? ' or null' : ''),
    limits: limitsOf(shape),
    description,
    isRequired,
    groups: fieldGroups(schema, schemas, within),
  };
}

/**
 * The type in words; `null` is not mentioned.
 * @param {Schema} schema
 * @param {Schemas} schemas
 * @returns {string}
 */
export function typeOf(schema, schemas) {
  const { shape, name } = resolved(schema, schemas);
  if (name === 'JsonValue') return anything;
  if (name !== '') return name;
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum) return shape.enum.map((value) => JSON.stringify(value)).join(' | ');
  const forms = formsOf(shape);
  if (forms.length > 0) return [...new Set(forms.map((form) => typeOf(form, schemas)))].join(' or ');
  if (shape.items) return `array of ${typeOf(shape.items, schemas)}`;
  if (typeof shape.additionalProperties === 'object' && Object.keys(shape.additionalProperties).length > 0) {
    return `object with any keys, each ${typeOf(shape.additionalProperties, schemas)}`;
  }
  if (shape.type === undefined) return shape.properties ? 'object' : anything;
  return [shape.type].flat().join(' or ');
}

/**
 * A schema without its reference and without the alternative `null`. `name` is the record's, or empty.
 * @param {Schema} schema
 * @param {Schemas} schemas
 * @returns {{ shape: Schema, name: string, isNullable: boolean, description: string }}
 */
function resolved(schema, schemas) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(reference.length);
    const target = resolved(schemas[name] ?? {}, schemas);
    return { ...target, name, description: schema.description ?? target.description };
  }
  const forms = formsOf(schema);
  const others = forms.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (others.length === forms.length || !only || others.length > 1) {
    const isNullable = others.length < forms.length;
    const shape = isNullable ? { ...schema, anyOf: others, oneOf: [] } : schema;
    return { shape, name: '', isNullable, description: schema.description ?? '' };
  }
  const inner = resolved(only, schemas);
  return { ...inner, isNullable: true, description: schema.description ?? inner.description };
}

/** @param {Schema} schema */
function formsOf({ anyOf = [], oneOf = [] }) {
  return [...anyOf, ...oneOf];
}

/**
 * Which of several forms an object has: the field with a constant tells.
 * @param {Schema} form
 * @param {Schemas} schemas
 */
function titleOf(form, schemas) {
  const { shape, name } = resolved(form, schemas);
  const telling = Object.entries(shape.properties ?? {}).find(([, { const: value }]) => value !== undefined);
  return telling ? `${telling[0]}: ${JSON.stringify(telling[1].const)}` : name;
}

/**
 * @param {Schema} schema
 * @returns {string[]}
 */
function limitsOf(schema) {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems } = schema;
  const limits = [
    rangeOf(minimum, maximum, ''),
    rangeOf(minLength || undefined, maxLength, 'characters'),
    rangeOf(minItems || undefined, maxItems, 'items'),
  ];
  if (exclusiveMinimum !== undefined) limits.push(`more than ${exclusiveMinimum}`);
  if (schema.format !== undefined) limits.push(`format ${schema.format}`);
  if (schema.pattern !== undefined) limits.push(`matches /${schema.pattern}/`);
  if (schema.default !== undefined) limits.push(`default ${JSON.stringify(schema.default)}`);
  return limits.filter((limit) => limit !== '');
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} unit
 */
function rangeOf(least, most, unit) {
  const [from, to] = [least, most].map((bound) => bound?.toLocaleString('en'));
  const range =
    from !== undefined && to !== undefined
      ? from === to
        ? `exactly ${from}`
        : `${from} to ${to}`
      : from !== undefined
        ? `at least ${from}`
        : to !== undefined
          ? `at most ${to}`
          : '';
  return range === '' || unit === '' ? range : `${range} ${unit}`;
}
