import { get } from '../shared/api.js';

/**
 * @typedef {{
 *   type?: string | string[], const?: unknown, enum?: unknown[], default?: unknown, description?: string,
 *   properties?: Record<string, Schema>, required?: string[], items?: Schema, $ref?: string,
 *   oneOf?: Schema[], anyOf?: Schema[], pattern?: string,
 *   minLength?: number, maxLength?: number, minimum?: number, maximum?: number,
 * }} Schema
 * @typedef {{ name: string, kind: string, required: boolean }} Field
 * @typedef {{ type: string, fields: Field[], example: Record<string, unknown> }} Part
 * @typedef {{ actions: Part[], conditions: Part[] }} RuleSchema
 */

/**
 * The actions and conditions of rules, from this server's OpenAPI document.
 * @returns {Promise<RuleSchema>}
 */
export async function ruleSchema() {
  const { components } = await get('/openapi.json');
  /** @param {Schema | undefined} schema @returns {Schema} */
  const resolve = (schema) => {
    if (schema?.$ref === undefined) return schema ?? {};
    return resolve(components.schemas[schema.$ref.split('/').at(-1) ?? '']);
  };
  /** @param {Schema} schema @param {readonly string[]} names @returns {Schema} */
  const schemaAt = (schema, names) => {
    const [name, ...rest] = names;
    if (name === undefined) return resolve(schema);
    const inner = resolve(schema);
    return schemaAt(name === '[]' ? (inner.items ?? {}) : (inner.properties?.[name] ?? {}), rest);
  };
  /** @param {Schema} schema @returns {Part[]} */
  const partsOf = (schema) =>
    (schema.oneOf ?? schema.anyOf ?? []).flatMap((one) => {
      const { properties = {}, required = [] } = resolve(one);
      const type = resolve(properties.type).const;
      if (typeof type !== 'string') return [];
      const rest = Object.entries(properties).filter(([name]) => name !== 'type' && name !== 'conditions');
      const isRequired = (/** @type {string} */ name, /** @type {Schema} */ field) =>
        required.includes(name) && field.default === undefined;
      return [
        {
          type,
          fields: rest.map(([name, field]) => ({
            name,
            kind: describeType(resolve(field)),
            required: isRequired(name, resolve(field)),
          })),
          example: {
            type,
            ...Object.fromEntries(
              rest
                .filter(([name, field]) => isRequired(name, resolve(field)))
                .map(([name, field]) => [name, exampleOf(resolve(field))]),
            ),
          },
        },
      ];
    });
  const actions = schemaAt(components.schemas.setRulesInput, ['rules', '[]', 'actions', '[]']);
  const [anyAction] = actions.oneOf ?? actions.anyOf ?? [];
  return {
    actions: partsOf(actions),
    conditions: partsOf(schemaAt(anyAction ?? {}, ['conditions', '[]'])),
  };
}

/** @param {Schema} schema */
function describeType(schema) {
  const { type, enum: values, default: fallback, minimum, maximum, maxLength } = schema;
  const kind = values
    ? values.map((value) => JSON.stringify(value)).join(' | ')
    : Array.isArray(type)
      ? type.join(' | ')
      : type === 'array'
        ? 'array'
        : (type ?? 'number, string or boolean');
  const bounds = [
    maxLength !== undefined && `max. length ${maxLength}`,
    minimum !== undefined && minimum > -1e15 && `min. ${minimum}`,
    maximum !== undefined && maximum < 1e15 && `max. ${maximum}`,
  ].filter(Boolean);
  return [kind, ...bounds, ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`])].join(
    ', ',
  );
}

/** @param {Schema} schema */
function exampleOf({ enum: values, type, minimum, pattern = '' }) {
  if (values) return values[0];
  if (type === 'integer' || type === 'number') return Math.max(1, minimum ?? 1);
  if (pattern.includes('{40}')) return `0x${'0'.repeat(40)}`;
  return type === 'string' ? 'text' : 1;
}
