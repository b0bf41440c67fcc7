import { useEffect, useState } from 'preact/hooks';

/**
 * A debounced value: the last one, once it has not changed for `delayMs`.
 * @template Value
 * @param {Value} value
 * @param {number} [delayMs]
 * @returns {Value}
 */
export function useDebounced(value, delayMs = 300) {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return debounced;
}
