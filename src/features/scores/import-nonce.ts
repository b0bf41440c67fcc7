/** Identifies an imported score among those of its player; `id`: as in its source, empty if it has none. */
export function importNonce(id: string): string {
  return id === '' ? 'import' : `import:${id}`;
}

export function isImported({ nonce }: { nonce: string | null }): boolean {
  return nonce === 'import' || nonce?.startsWith('import:') === true;
}
