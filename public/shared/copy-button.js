import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.js';
import { toast } from './toasts.js';

const confirmMs = 1_600;

/**
 * Copies a text to the clipboard and confirms it.
 * @param {{ text: string, label?: string, autofocus?: boolean }} props `label` says what is copied: `Copy address`
 */
export function CopyButton({ text, label = 'Copy', autofocus }) {
  const [copied, setCopied] = useState(false);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers allow clipboard access only over https and on localhost.
      toast('Copying is not allowed in this browser; select the text instead', 'error');
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setCopied(false), confirmMs);
  };
  return html`
    <button type="button" class="copy" aria-label=${label} title=${copied ? 'Copied' : label} autofocus=${autofocus} onClick=${copy}>
      <${Icon} name=${copied ? 'check' : 'copy'} />
      <span class="visually-hidden" role="status">${copied ? 'Copied' : ''}</span>
    </button>
  `;
}
