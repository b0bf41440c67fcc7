import type { AnyTable } from '../../core/storage/table.ts';

/** A column that holds players' wallets. Names as they are in SQL. */
export interface PlayerColumn {
  readonly table: AnyTable;
  readonly column: string;
  /** The condition that selects the player's rows; it can use indexes that begin with the game. */
  readonly where: (wallet: '@from' | '@to') => string;
}

/** Every column that holds players' wallets, as declared by the tables. */
export function playerColumnsOf(tables: readonly AnyTable[]): PlayerColumn[] {
  return tables.flatMap((table) => {
    const { player, names = [], game } = table.of;
    const own = player === undefined ? [] : [player];
    return [...own, ...names].map((name) => {
      const column = sqlName(table, name);
      const isIndexed = game === undefined || isLeading(table, name);
      const inGames = isIndexed ? '' : ` AND ${sqlName(table, game)} IN (SELECT id FROM games)`;
      return { table, column, where: (wallet: string) => `${column} = ${wallet}${inGames}` };
    });
  });
}

export function sqlName(table: AnyTable, column: string): string {
  const found = table.columns.find(({ name }) => name === column);
  if (!found) throw new Error(`${table.name} has no column ${column}`);
  return found.sqlName;
}

/** Whether the key or an index begins with the column. */
function isLeading(table: AnyTable, column: string): boolean {
  return table.key[0] === column || table.indexes.some(({ columns }) => columns[0] === column);
}
