/** PostgreSQL's text cannot hold the null character. This noncharacter escapes it, and itself. */
const marker = '\uffff';

/** Escapes text for PostgreSQL. */
export function withoutNulls(text: string): string {
  if (!text.includes('\0') && !text.includes(marker)) return text;
  return text.replaceAll(marker, `${marker}1`).replaceAll('\0', `${marker}0`);
}

/** Unescapes stored text. */
export function withNulls(stored: string): string {
  if (!stored.includes(marker)) return stored;
  return stored.replaceAll(`${marker}0`, '\0').replaceAll(`${marker}1`, marker);
}
