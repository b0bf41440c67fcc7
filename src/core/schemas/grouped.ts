/**
 * A number as English writes it, such as 1,048,576. Not `toLocaleString`: its first call in a process or thread loads
 * the languages, which takes longer than opening the database, and schemas make their messages when they are loaded.
 */
export function grouped(number: number | bigint): string {
  const [whole = '', ...fraction] = String(number).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}
