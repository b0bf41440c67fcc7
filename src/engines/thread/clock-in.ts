/** A clock whose time, in Unix milliseconds, is a 64-bit float in shared memory. */
export function clockIn(memory: SharedArrayBuffer): () => number {
  const time = new Float64Array(memory);
  return () => time[0] ?? 0;
}
