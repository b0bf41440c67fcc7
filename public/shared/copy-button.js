import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.js';
import { toast } from './toasts.js';

const confirmMs = 1_600;

/**
 * Puts a text on the clipboard and shows that it did.
 * @param {{ text: string, label?: string }} props `label` says what is copied: `Copy address`
 */
export function CopyButton({ text, label = 'Copy' }) {
  const [copied, setCopied] = useState(false);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without https or localhost browsers keep the clipboard to themselves.
      toast('This browser did not allow copying; select the text instead', 'error');
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setCopied(false), confirmMs);
  };
  return html`
    <button type="button" class="copy" aria-label=${label} title=${copied ? 'Copied' : label} onClick=${copy}>
      <${Icon} name=${copied ? 'check' : 'copy'} />
      <span class="visually-hidden" role="status">${copied ? 'Copied' : ''}</span>
    </button>
  `;
}
