import { useEffect, useState } from 'preact/hooks';

/**
 * A value once it has stopped changing for a moment: what is typed, not each letter of it.
 * @template Value
 * @param {Value} value
 * @param {number} [afterMs]
 * @returns {Value}
 */
export function useSettled(value, afterMs = 300) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
