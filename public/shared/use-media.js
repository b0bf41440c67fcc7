import { useEffect, useState } from 'preact/hooks';

/**
 * Whether a media query holds, now and from then on.
 * @param {string} query
 * @returns {boolean}
 */
export function useMedia(query) {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setHolds(list.matches);
    follow();
    list.addEventListener('change', follow);
    return () => list.removeEventListener('change', follow);
  }, [query]);
  return holds;
}
