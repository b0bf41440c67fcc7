import { html } from 'htm/preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LoadingRows } from '../shared/states.js';
import { TextField } from './fields.js';

/** @typedef {{ start: number, end: number, message: string }} Mark offsets in UTF-16 units */
/** @typedef {{ select: (start: number, end: number) => void }} EditorHandle `select` selects a range and scrolls to it */

/**
 * A JSON editor with highlighting, line numbers and error marks, which is loaded on first use; if that fails, a plain
 * text area.
 * @param {{
 *   label: string,
 *   value: string,
 *   onValue: (value: string) => void,
 *   marks: readonly Mark[],
 *   handle: { current: EditorHandle | null },
 *   hint: string,
 * }} props
 */
export function JsonEditor(props) {
  const [module, setModule] = useState(/** @type {typeof import('./code-mirror.js') | null} */ (null));
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    import('./code-mirror.js').then(setLoaded, () => setMissing(true));
    /** @param {typeof import('./code-mirror.js')} loaded */
    function setLoaded(loaded) {
      setModule(() => loaded);
    }
  }, []);
  if (isMissing) return html`<${PlainEditor} ...${props} />`;
  if (module === null) return html`<${LoadingRows} rows=${6} label="Loading the editor" />`;
  return html`<${RichEditor} ...${props} create=${module.createEditor} />`;
}

/**
 * @param {Parameters<typeof JsonEditor>[0] & { create: typeof import('./code-mirror.js').createEditor }} props
 */
function RichEditor({ label, value, onValue, marks, handle, hint, create }) {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  const editor = useRef(/** @type {ReturnType<typeof create> | null} */ (null));
  const changed = useRef(onValue);
  changed.current = onValue;
  const hintId = useId();
  useLayoutEffect(() => {
    if (host.current === null) return;
    const created = create(host.current, {
      label: `${label}. ${hint}`,
      value,
      onValue: (text) => changed.current(text),
    });
    editor.current = created;
    handle.current = created;
    return () => {
      handle.current = null;
      editor.current = null;
      created.destroy();
    };
  }, []);
  useLayoutEffect(() => editor.current?.setValue(value), [value]);
  useLayoutEffect(() => editor.current?.setMarks(marks), [value, JSON.stringify(marks)]);
  return html`
    <div class="field">
      <span class="field-label" aria-hidden="true">${label}</span>
      <div class="code-editor" ref=${host}></div>
      <p id=${hintId} class="hint" aria-hidden="true">${hint}</p>
    </div>
  `;
}

/** @param {Parameters<typeof JsonEditor>[0]} props */
function PlainEditor({ label, value, onValue, handle, hint }) {
  const area = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    handle.current = {
      select(start, end) {
        const field = area.current?.querySelector('textarea');
        field?.focus();
        field?.setSelectionRange(start, end);
      },
    };
    return () => {
      handle.current = null;
    };
  }, []);
  return html`
    <div ref=${area}>
      <${TextField} label=${label} class="input mono code-area" rows=${16} spellcheck=${false} autocapitalize="off" value=${value} onValue=${onValue} hint=${hint} />
    </div>
  `;
}
