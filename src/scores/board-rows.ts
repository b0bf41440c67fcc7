/** A board, and a row's key on it. */
export type BoardKey = {
  boardId: string | number;
  score: string | number | null;
  reachedAt: string | number | null;
  id: string | number | null;
};

const key = 'sort_score, reached_at, score_id';
const fromLast = 'sort_score DESC, reached_at DESC, score_id DESC';

/** SQL of a page of a ranked table: from a row's key on, `@skip` rows further down, `@limit` rows. */
export function pageRows(table: string, columns: string): string {
  return `${rowsOf(table, columns, '>=')} ORDER BY ${key} LIMIT @limit OFFSET @skip`;
}

/** SQL of the rows of a ranked table next to a row's key: `@above` before it, and `@below` from it on. */
export function rowsAround(table: string, columns: string): string {
  return `SELECT * FROM (${rowsOf(table, columns, '<')} ORDER BY ${fromLast} LIMIT @above) AS upper
      UNION ALL SELECT * FROM (${rowsOf(table, columns, '>=')} ORDER BY ${key} LIMIT @below) AS lower`;
}

function rowsOf(table: string, columns: string, side: '<' | '>='): string {
  return `SELECT ${columns} FROM ${table} WHERE board_id = @boardId AND (${key}) ${side} (@score, @reachedAt, @id)`;
}
