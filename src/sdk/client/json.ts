import { GantryError } from './client-error.ts';

/** The input of a call as it is sent. @throws GantryError `input_invalid`: it has no form in JSON */
export function jsonOf(input: object): string {
  try {
    return JSON.stringify(input);
  } catch (error) {
    const message = `The input has no form in JSON: ${error instanceof Error ? error.message : error}`;
    throw new GantryError({ message, code: 400, data: { reason: 'input_invalid' } });
  }
}
