import { readFileSync } from 'node:fs';

/**
 * Preloaded into a server (`--import`, which its threads inherit): sets its clock off by as many milliseconds as the
 * file CLOCK_OFFSET_FILE says at the moment.
 */
const file = process.env.CLOCK_OFFSET_FILE ?? '';
const machineNow = Date.now;
const now = () => machineNow() + Number(readFileSync(file, 'utf8'));

globalThis.Date = new Proxy(Date, {
  construct: (date, given, newTarget) =>
    Reflect.construct(date, given.length === 0 ? [now()] : given, newTarget),
  get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
});
