import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { listEvents } from '../features/administration/operations/logs.ts';
import { listGames } from '../features/games/operations/games.ts';
import { events, signals } from '../server/declarations/events.ts';
import { type Administrator, gameAmong } from './administrator.ts';
import type { Execute } from './as-administrator.ts';
import { count, parsed, unknownName } from './options.ts';

/** How often to poll for new events, in milliseconds. */
const pollMs = 1_000;
/** The maximum that one response contains. */
const pageSize = 250;

interface Options {
  game?: string;
  name?: string;
  last: number;
  follow: boolean;
  json?: boolean;
}

export function tailCommand(administrator: Administrator): Command {
  return new Command('tail')
    .description('print events as they happen, until interrupted')
    .option('--game <game>', 'filter by game')
    .option('--name <event>', "filter by the event's name", eventName)
    .option(
      '--last <count>',
      'how many of the latest events to start with, before filtering',
      parsed(count),
      10,
    )
    .option('--no-follow', 'exit after the latest events')
    .option('--json', 'print each event as a line of JSON')
    .addHelpText(
      'after',
      `\nEvents:\n${eventsByService()}\n\nExample:\n  gantry tail --game space-race --name 'scores created'`,
    )
    .action(async ({ game, name, last, follow, json }: Options) => {
      const abort = new AbortController();
      const stop = () => abort.abort();
      process.once('SIGINT', stop).once('SIGTERM', stop);
      try {
        await administrator.connected(async (execute) => {
          const gameId = game === undefined ? undefined : await idOf(game, execute);
          let after: string | undefined;
          while (!abort.signal.aborted) {
            const limit = after === undefined ? last : pageSize;
            const page = listEvents.output.parse(await execute(listEvents, { after, limit }));
            for (const event of page.events) {
              if (gameId !== undefined && event.gameId !== gameId) continue;
              if (name !== undefined && event.name !== name) continue;
              process.stdout.write(`${json ? JSON.stringify(event) : formatEvent(event)}\n`);
            }
            after = page.cursor;
            if (page.more) continue;
            if (!follow) break;
            await delay(pollMs, undefined, { signal: abort.signal }).catch(() => undefined);
          }
        });
      } finally {
        process.off('SIGINT', stop).off('SIGTERM', stop);
      }
    });
}

/** Games define no events of their own, so any other name would wait forever. @throws InvalidArgumentError */
function eventName(given: string): string {
  if (Object.hasOwn(events, given)) return given;
  if (Object.hasOwn(signals, given)) {
    throw new InvalidArgumentError('It is not stored: only connected clients receive it.');
  }
  throw unknownName('event', given, Object.keys(events));
}

/** Also of an id that is given, because no event would ever be of a game that does not exist. */
async function idOf(game: string, execute: Execute): Promise<string> {
  const { games } = listGames.output.parse(await execute(listGames, {}));
  return gameAmong(games, game).gameId;
}

function eventsByService(): string {
  const services = new Map<string, string[]>();
  for (const [service = '', happened = ''] of Object.keys(events).map((name) => name.split(' '))) {
    services.set(service, [...(services.get(service) ?? []), happened]);
  }
  return [...services].map(([service, all]) => `  ${service} ${all.join(', ')}`).join('\n');
}

function formatEvent({ at, name, record }: { at: number; name: string; record: unknown }): string {
  return `${new Date(at).toISOString()}  ${name.padEnd(24)}  ${JSON.stringify(record)}`;
}
