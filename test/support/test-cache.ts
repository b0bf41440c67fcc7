import { fileURLToPath } from 'node:url';

/** Where what is made for tests is kept from one run to the next, under names that say what it was made of. */
export const testCache = fileURLToPath(new URL('../../node_modules/.cache/gantry-tests', import.meta.url));
