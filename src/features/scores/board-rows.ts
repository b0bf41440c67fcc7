/** A board and the sort key of one of its rows. */
export type BoardKey = {
  boardId: string | number;
  score: string | number | null;
  reachedAt: string | number | null;
  id: string | number | null;
};

const key = 'sort_score, reached_at, score_id';
const keyDescending = 'sort_score DESC, reached_at DESC, score_id DESC';

/** SQL for a page of a ranked table: `@limit` rows, the first one `@skip` rows after the row with the given key. */
export function pageRows(table: string, columns: string): string {
  return `${selectRows(table, columns, '>=')} ORDER BY ${key} LIMIT @limit OFFSET @skip`;
}

/**
 * SQL for the rows of a ranked table around a key: `@above` rows before it, and `@below` rows from it on, inclusive.
 */
export function rowsAround(table: string, columns: string): string {
  return `SELECT * FROM (${selectRows(table, columns, '<')} ORDER BY ${keyDescending} LIMIT @above) AS upper
      UNION ALL SELECT * FROM (${selectRows(table, columns, '>=')} ORDER BY ${key} LIMIT @below) AS lower`;
}

function selectRows(table: string, columns: string, side: '<' | '>='): string {
  return `SELECT ${columns} FROM ${table} WHERE board_id = @boardId AND (${key}) ${side} (@score, @reachedAt, @id)`;
}
