import { readFileSync } from 'node:fs';

/**
 * Preloaded into a server (`--import`, which its threads inherit): offsets its clock by the milliseconds that the file
 * CLOCK_OFFSET_FILE currently contains.
 */
const file = process.env.CLOCK_OFFSET_FILE ?? '';
const machineNow = Date.now;
const now = () => machineNow() + Number(readFileSync(file, 'utf8'));

globalThis.Date = new Proxy(Date, {
  construct: (date, given, newTarget) =>
    Reflect.construct(date, given.length === 0 ? [now()] : given, newTarget),
  get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
});
