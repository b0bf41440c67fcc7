/**
 * PostgreSQL's text holds every character but the null character. This one, which Unicode gives no meaning, stands before
 * its stand-in.
 */
const marker = '\uffff';

/** Text as PostgreSQL takes it. */
export function withoutNulls(text: string): string {
  if (!text.includes('\0') && !text.includes(marker)) return text;
  return text.replaceAll(marker, `${marker}1`).replaceAll('\0', `${marker}0`);
}

/** The text again. */
export function withNulls(stored: string): string {
  if (!stored.includes(marker)) return stored;
  return stored.replaceAll(`${marker}0`, '\0').replaceAll(`${marker}1`, marker);
}
