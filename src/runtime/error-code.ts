/** What Node, the system or SQLite calls an error: `EEXIST`, `SQLITE_BUSY`; empty when what was thrown has no such name. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}
