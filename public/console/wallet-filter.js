import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { TextField } from './fields.js';
import { useSettled } from './use-settled.js';

/** A field to see one player's rows only; `wallet` is empty until a whole address is in it. */
export function useWalletFilter() {
  const [text, setText] = useState('');
  const typed = useSettled(text.trim().toLowerCase());
  const whole = /^0x[0-9a-f]{40}$/.test(typed);
  const problem = typed !== '' && !whole ? 'A whole wallet address: 0x and 40 digits' : undefined;
  const field = html`
    <${TextField} label="Of one player" hideLabel type="search" placeholder="Of one player: 0x…" maxlength=${60} mono spellcheck=${false} value=${text} onValue=${setText} problem=${problem} />
  `;
  return { wallet: whole ? typed : '', field };
}
