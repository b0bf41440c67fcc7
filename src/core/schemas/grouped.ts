/**
 * A number with thousands separators, such as 1,048,576. Not `toLocaleString`: its first call in a process or thread
 * loads locale data, which takes longer than opening the database, and schemas build their messages at import.
 */
export function grouped(number: number | bigint): string {
  const [whole = '', ...fraction] = String(number).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}
