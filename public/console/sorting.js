/**
 * The sort order of a table's rows: by the values of a column, as exported.
 * @typedef {{ title: string, descending: boolean }} Sort
 */

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Sorts rows; rows without a value come last, and equal ones keep their order.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {readonly import('./virtual-table.js').Column<Row>[]} columns
 * @param {Sort} sort
 * @returns {readonly Row[]}
 */
export function sorted(rows, columns, { title, descending }) {
  const value = columns.find((column) => column.title === title)?.value;
  if (!value) return rows;
  const sign = descending ? -1 : 1;
  return rows
    .map((row) => ({ row, key: value(row) }))
    .toSorted((one, other) => {
      const [oneIsEmpty, otherIsEmpty] = [isEmpty(one.key), isEmpty(other.key)];
      if (oneIsEmpty || otherIsEmpty) return Number(oneIsEmpty) - Number(otherIsEmpty);
      return sign * compare(one.key, other.key);
    })
    .map(({ row }) => row);
}

/** @param {unknown} value */
const isEmpty = (value) => value === null || value === '';

/** @param {unknown} one @param {unknown} other */
function compare(one, other) {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : collator.compare(String(one), String(other));
}

/**
 * The sort after a click on a column's title: ascending, descending, then the default.
 * @param {Sort | null} sort
 * @param {string} title
 * @returns {Sort | null}
 */
export function nextSort(sort, title) {
  if (sort?.title !== title) return { title, descending: false };
  return sort.descending ? null : { title, descending: true };
}

/**
 * The rows that contain a text in the value of any column, ignoring case.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {readonly import('./virtual-table.js').Column<Row>[]} columns
 * @param {string} text
 * @returns {readonly Row[]}
 */
export function matching(rows, columns, text) {
  const query = text.toLowerCase();
  return rows.filter((row) =>
    columns.some(
      ({ value }) =>
        value !== undefined &&
        String(value(row) ?? '')
          .toLowerCase()
          .includes(query),
    ),
  );
}
