import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { TextField } from './fields.js';
import { useDebounced } from './use-debounced.js';

/** A field that filters rows by player; `wallet` is empty until it holds a complete address. */
export function useWalletFilter() {
  const [text, setText] = useState('');
  const typed = useDebounced(text.trim().toLowerCase());
  const whole = /^0x[0-9a-f]{40}$/.test(typed);
  const problem =
    typed !== '' && !whole ? 'Enter a complete wallet address: 0x and 40 hex digits' : undefined;
  const field = html`
    <${TextField} label="Filter by wallet" hideLabel type="search" placeholder="Filter by wallet: 0x…" maxlength=${60} mono spellcheck=${false} value=${text} onValue=${setText} problem=${problem} />
  `;
  return { wallet: whole ? typed : '', field };
}
