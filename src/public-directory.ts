import { fileURLToPath } from 'node:url';

/** The pages, served as they are. */
export const publicDirectory = fileURLToPath(new URL('../public', import.meta.url));
