import { fileURLToPath } from 'node:url';

/** Where files made for tests are cached between runs, under names that identify their inputs. */
export const testCache = fileURLToPath(new URL('../../node_modules/.cache/gantry-tests', import.meta.url));
