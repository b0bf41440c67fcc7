/** A board and the sort key of one of its rows. */
export type BoardKey = {
  boardId: string | number;
  score: string | number | null;
  reachedAt: string | number | null;
  id: string | number | null;
};

const key = 'sort_score, reached_at, score_id';

/** SQL for a page of a ranked table: `@limit` rows, the first one `@skip` rows after the row with the given key. */
export function pageRows(table: string, columns: string): string {
  return `SELECT ${columns} FROM ${table}
    WHERE board_id = @boardId AND (${key}) >= (@score, @reachedAt, @id) ORDER BY ${key} LIMIT @limit OFFSET @skip`;
}
