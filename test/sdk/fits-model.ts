import type { SdkModel, SdkType } from '../../src/sdk/generators/model.ts';

/** Where a value differs from a type of the model, as dotted paths with the reason; empty: it fits. */
export function misfits(model: SdkModel, type: SdkType, value: unknown, path = ''): string[] {
  switch (type.kind) {
    case 'json':
      return [];
    case 'integer':
      return Number.isSafeInteger(value) ? [] : [`${path}: no integer`];
    case 'choice':
      return type.values.some((one) => one === value) ? [] : [`${path}: none of ${type.values}`];
    case 'list':
      if (!Array.isArray(value)) return [`${path}: no list`];
      return value.flatMap((one, index) => misfits(model, type.of, one, `${path}[${index}]`));
    case 'union':
      return type.of.some((one) => misfits(model, one, value).length === 0) ? [] : [`${path}: of no type`];
    case 'map':
      if (!isObject(value)) return [`${path}: no map`];
      return Object.entries(value).flatMap(([key, one]) => misfits(model, type.of, one, `${path}.${key}`));
    case 'record':
      return isObject(value) ? recordMisfits(model, type.name, value, path) : [`${path}: no object`];
    default:
      return typeof value === type.kind ? [] : [`${path}: no ${type.kind}`];
  }
}

function recordMisfits(
  model: SdkModel,
  name: string,
  value: Record<string, unknown>,
  path: string,
): string[] {
  const record = model.records.find((one) => one.name === name);
  if (!record) return [`${path}: there is no record ${name}`];
  const unknown = Object.keys(value).filter((key) => !record.fields.some((field) => field.name === key));
  return [
    ...unknown.map((key) => `${path}.${key}: not in ${name}`),
    ...record.fields.flatMap(({ name: field, type, isOptional, isNullable }) => {
      if (!Object.hasOwn(value, field)) return isOptional ? [] : [`${path}.${field}: missing`];
      if (value[field] === null && isNullable) return [];
      return misfits(model, type, value[field], `${path}.${field}`);
    }),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
