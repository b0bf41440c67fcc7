import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Markdown } from '../../shared/markdown.js';
import { TextField } from '../fields.js';

/**
 * A text area for Markdown, which can be replaced by a preview of how launchers show it.
 * @param {{ label: string, value: string, onValue: (value: string) => void, problem?: string | undefined }} props
 */
export function MarkdownField({ label, value, onValue, problem }) {
  const [isPreview, setPreview] = useState(false);
  return html`
    <div class="markdown-field">
      <div class="segments" role="group" aria-label="${label}: write or preview">
        <button type="button" class="segment" aria-pressed=${isPreview ? 'false' : 'true'} onClick=${() => setPreview(false)}>Write</button>
        <button type="button" class="segment" aria-pressed=${isPreview ? 'true' : 'false'} onClick=${() => setPreview(true)}>Preview</button>
      </div>
      ${
        isPreview
          ? html`<div class="markdown-preview" role="region" aria-label="Preview" tabindex="0">${value.trim() === '' ? html`<p class="quiet">Nothing to preview.</p>` : html`<${Markdown} text=${value} />`}</div>`
          : html`<${TextField} label=${label} rows=${8} maxlength=${10_000} value=${value} onValue=${onValue} problem=${problem} hint="Markdown; HTML is shown as text." />`
      }
    </div>
  `;
}
