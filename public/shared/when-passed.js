/** The server does what has come due up to two seconds later. */
const marginMs = 2_500;
/** Timers stop while a device sleeps, so the clock is read at least this often, in milliseconds. */
const maxWaitMs = 60_000;

/**
 * Calls `act` when the earliest of these times has passed; a minute later if it has already, because this clock may be
 * ahead of the server's. Returns a function that prevents it.
 * @param {readonly (number | null)[]} times Unix milliseconds; null: never
 * @param {() => void} act
 */
export function whenPassed(times, act) {
  const first = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY)) + marginMs;
  if (first === Number.POSITIVE_INFINITY) return () => {};
  const dueAt = first > Date.now() ? first : Date.now() + maxWaitMs;
  let timer = 0;
  const wait = () => {
    const leftMs = dueAt - Date.now();
    if (leftMs <= 0) act();
    else timer = window.setTimeout(wait, Math.min(leftMs, maxWaitMs));
  };
  wait();
  return () => clearTimeout(timer);
}
