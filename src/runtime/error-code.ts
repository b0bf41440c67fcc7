/** The code of an error of Node, the system or SQLite, such as `EEXIST` or `SQLITE_BUSY`; empty when there is none. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}
