import { createInterface } from 'node:readline';
import * as sdk from '../../../src/sdk/client/client.ts';
import { events, signals } from '../../../src/server/declarations/events.ts';
import { makeDriver, thrown } from './driver-core.ts';

// The driver of the TypeScript client in Node; see `driver-protocol.md`.
const names = [...Object.keys(events), ...Object.keys(signals)];
const putToken = (token: string | null) => {
  if (token === null) delete process.env.GANTRY_TOKEN;
  else process.env.GANTRY_TOKEN = token;
};
const take = makeDriver(sdk, names, putToken, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
process.on('uncaughtException', (error) => {
  if (error.message !== thrown) throw error;
});
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void take(JSON.parse(line)));
lines.on('close', () => process.exit(0));
