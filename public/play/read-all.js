/** The most rows of a page. */
const limit = 250;

/**
 * Reads a list to its end.
 * @template Row
 * @param {(page: { limit: number, skip: number }) => Promise<{ total: number, data: readonly Row[] }>} read one of its pages
 */
export async function readAll(read) {
  /** @type {Row[]} */
  const rows = [];
  for (let total = 1; rows.length < total; ) {
    const page = await read({ limit, skip: rows.length });
    total = page.data.length === 0 ? 0 : page.total;
    rows.push(...page.data);
  }
  return rows;
}
