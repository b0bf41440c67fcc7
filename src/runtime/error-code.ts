/** The code of an error of Node, the system or SQLite, such as `EEXIST` or `SQLITE_BUSY`; empty when there is none. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/** The first code of an error or of its causes; empty when none has one. */
export function codeInCauses(thrown: unknown): string {
  return codeOf(thrown) || (thrown instanceof Error ? codeInCauses(thrown.cause) : '');
}
