import { GantryError } from './client-error.ts';
import { maxCallBytes } from './operation-names.ts';

/** The input of a call as it is sent. @throws GantryError `input_invalid`: it has no form in JSON */
export function jsonOf(input: object): string {
  try {
    return JSON.stringify(input);
  } catch (error) {
    const message = `The input has no form in JSON: ${error instanceof Error ? error.message : error}`;
    throw new GantryError({ message, code: 400, data: { reason: 'input_invalid' } });
  }
}

/** The same for what is sent now. @throws GantryError also `body_too_large`: the server would close the connection */
export function sentJsonOf(input: object): string {
  const json = jsonOf(input);
  if (json.length * 3 <= maxCallBytes) return json; // no character takes more bytes
  const { length } = new TextEncoder().encode(json);
  if (length <= maxCallBytes) return json;
  const message = `The call takes ${length} bytes, and the server takes ${maxCallBytes}`;
  throw new GantryError({ message, code: 413, data: { reason: 'body_too_large' } });
}
