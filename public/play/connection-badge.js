import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';

/**
 * The connection's state, announced to screen readers when it changes.
 * @param {{ state: import('./connection-state.js').ConnectionState['state'], missed: number }} props
 */
export function ConnectionBadge({ state, missed }) {
  const online = useOnline();
  const { kind, short, text } = badgeOf(state, missed, online);
  return html`
    <span class="badge connection ${kind}" role="status" title=${text} data-state=${state}>
      <span class="wide-only">${text}</span>
      <span class="narrow-only" aria-hidden="true">${short}</span>
    </span>
  `;
}

/**
 * @param {import('./connection-state.js').ConnectionState['state']} state
 * @param {number} missed
 * @param {boolean} online
 */
function badgeOf(state, missed, online) {
  const events = `${missed} missed ${missed === 1 ? 'event' : 'events'} replayed`;
  switch (state) {
    case 'live':
      return { kind: 'good', short: 'Live', text: 'Live' };
    case 'caught-up':
      return missed === 0
        ? { kind: 'good', short: 'Caught up', text: 'Caught up: no missed events' }
        : { kind: 'good', short: `Caught up: ${missed}`, text: `Caught up: ${events}` };
    case 'catching-up':
      return { kind: 'info busy', short: 'Catching up', text: 'Catching up' };
    case 'reconnecting':
      return online
        ? { kind: 'warn busy', short: 'Reconnecting', text: 'Reconnecting' }
        : { kind: 'bad', short: 'Offline', text: 'You are offline' };
    case 'connecting':
      return { kind: 'info busy', short: 'Connecting', text: 'Connecting' };
  }
}

function useOnline() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const follow = () => setOnline(navigator.onLine);
    addEventListener('online', follow);
    addEventListener('offline', follow);
    return () => {
      removeEventListener('online', follow);
      removeEventListener('offline', follow);
    };
  }, []);
  return online;
}
