import { useEffect, useState } from 'preact/hooks';

/**
 * Whether a media query matches; follows changes.
 * @param {string} query
 * @returns {boolean}
 */
export function useMedia(query) {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setMatches(list.matches);
    follow();
    list.addEventListener('change', follow);
    return () => list.removeEventListener('change', follow);
  }, [query]);
  return matches;
}
