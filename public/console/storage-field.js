import { html } from 'htm/preact';
import { useAdmin } from './admin.js';
import { problemAt, TextField } from './fields.js';
import { asBytes } from './numbers.js';
import { useQuery } from './queries.js';

/**
 * A game's storage quota in MiB, next to what it stores; empty: the server's default.
 * @param {{ gameId: string, value: string, onValue: (value: string) => void, error: unknown }} props
 */
export function StorageField({ gameId, value, onValue, error }) {
  const admin = useAdmin();
  const { result } = useQuery(() => admin.call('serverSummary', {}), []);
  const stored = result?.storage.find((one) => one.gameId === gameId);
  const use = stored
    ? `The game stores ${asBytes(stored.bytes)} of ${asBytes(stored.quota)}. `
    : result
      ? 'The game stores nothing yet. '
      : '';
  return html`<${TextField} label="Storage quota in MiB" type="number" min="1" step="1" placeholder="server default" value=${value} onValue=${onValue} problem=${problemAt(error, 'policies.storageQuotaMegabytes')} hint="${use}A full game is refused writes that would store more." />`;
}
