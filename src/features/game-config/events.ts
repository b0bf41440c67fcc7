import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import type { Signal } from '../../core/events/stream.ts';
import { streamOf } from '../../core/events/stream.ts';
import { id } from '../../core/schemas/fields.ts';
import type { ChangedConfig } from './commands.ts';
import type { ConfigEntry } from './config-entry.ts';

/** Maximum length of the values in a signal, in bytes of JSON. */
const maxValuesBytes = 4 * 1024;

/** A signal to the sessions of a game. */
export const configPatched = defineEvent(
  'config patched',
  z.object({
    gameId: id,
    version: z.int(),
    keys: z.array(z.string()).meta({ description: 'The changed keys that players may read' }),
    values: z.exactOptional(z.record(z.string(), z.unknown())).meta({
      description:
        'Their values, without those that were removed; omitted when they are too long, or rules decide',
    }),
    spreadMs: z.int().meta({
      description:
        'Clients that have to read the config again first wait a random time of up to this many milliseconds',
    }),
  }),
);

/** The signal of a change. What players must not read, or what is not the same for all of them, is not in it. */
export function configSignal(
  gameId: string,
  { version, keys, before, after }: ChangedConfig,
): Signal<Omit<z.infer<typeof configPatched.record>, 'spreadMs'>> {
  const earlier = publicEntries(before);
  const current = publicEntries(after);
  const shown = keys.filter((key) => earlier.has(key) || current.has(key));
  const values = valuesOf(shown, current);
  return {
    name: configPatched.name,
    record: { gameId, version, keys: shown, ...(values && { values }) },
    stream: streamOf.game(gameId),
    audience: { kind: 'sessions', gameId, launchers: false },
    spreadsReads: true,
  };
}

function publicEntries(entries: readonly ConfigEntry[]): ReadonlyMap<string, ConfigEntry> {
  return new Map(entries.filter((entry) => entry.public).map((entry) => [entry.key, entry]));
}

/** Null: they cannot be sent to everybody. */
function valuesOf(
  keys: readonly string[],
  current: ReadonlyMap<string, ConfigEntry>,
): Record<string, unknown> | null {
  const entries = keys.flatMap((key) => current.get(key) ?? []);
  if (entries.some(({ rules }) => rules.length > 0)) return null;
  const values = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  return Buffer.byteLength(JSON.stringify(values)) <= maxValuesBytes ? values : null;
}
