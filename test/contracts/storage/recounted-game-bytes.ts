import { playerStreamsOf } from '../../../src/core/events/stream.ts';
import { query, type Read, type ReadSteps, statement } from '../../../src/core/storage/query.ts';
import { type AnyTable, columnOf } from '../../../src/core/storage/table.ts';
import { countedBytesIn } from '../../../src/features/storage-quota/game-storage.ts';

/** The bytes that a game stores, by its rows: what is counted in its quota. `tables`: all tables. */
export const recountedGameBytes = query(
  'recountedGameBytes',
  function* (read: Read, tables: readonly AnyTable[], gameId: string): ReadSteps<number> {
    let sum = 0;
    for (const table of tables) {
      if (table.counted === null) continue;
      const found = yield* read.first(bytesOf(table), { gameId, ...playerStreamsOf(gameId) });
      sum += found?.bytes ?? 0;
    }
    return sum;
  },
);

function bytesOf(table: AnyTable) {
  const { stream } = table.of;
  const game = table.counted?.game;
  const [from, where] =
    stream === undefined
      ? [`${table.name} AS t`, `t.${columnOf(table, game ?? '').sqlName} = @gameId`]
      : [
          `streams AS s JOIN ${table.name} AS t ON t.${columnOf(table, stream).sqlName}_id = s.id`,
          's.name >= @from AND s.name < @to',
        ];
  return statement<{ gameId: string; from: string; to: string }, { bytes: number }>(
    `SELECT coalesce(sum(${countedBytesIn(table, 't')}), 0) AS bytes FROM ${from} WHERE ${where}`,
  );
}
