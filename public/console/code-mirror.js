import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, Transaction } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** @typedef {import('./json-editor.js').Mark} Mark */

/** Uses the page's colours, so that the editor follows the theme. */
const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--info)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool], color: 'var(--accent)' },
  { tag: tags.null, color: 'var(--quiet)' },
]);

const theme = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: 'var(--size-small)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    minHeight: '20rem',
    maxHeight: '70dvh',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--quiet)',
    backgroundColor: 'var(--sunken)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', color: 'inherit' },
  '.cm-foldPlaceholder': {
    color: 'var(--quiet)',
    backgroundColor: 'var(--sunken)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-small)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
});

/**
 * Creates an editor in a shadow root: there it uses constructed style sheets, which the page's Content-Security-Policy
 * allows, instead of style elements, which it does not.
 * @param {HTMLElement} host
 * @param {{ label: string, value: string, onValue: (value: string) => void }} options
 */
export function createEditor(host, { label, value, onValue }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: value,
      extensions: [
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        json(),
        syntaxHighlighting(highlighting),
        theme,
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        // Escape, then Tab, leaves the editor (built into the view).
        keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, indentWithTab]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0', // redundant, but accessibility checkers require it on scrollable text
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          const isOwn = transactions.some((one) => one.annotation(Transaction.remote) === true);
          if (docChanged && !isOwn) onValue(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    /** Replaces the text without calling `onValue`. @param {string} text */
    setValue(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: Transaction.remote.of(true),
      });
    },
    /** @param {readonly Mark[]} marks */
    setMarks(marks) {
      const { length } = view.state.doc;
      const diagnostics = marks.map(({ start, end, message }) => ({
        from: Math.min(start, length),
        to: Math.min(Math.max(start, end), length),
        severity: /** @type {const} */ ('error'),
        message,
      }));
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    /**
     * @param {number} start
     * @param {number} end
     */
    select(start, end) {
      const { length } = view.state.doc;
      view.dispatch({
        selection: { anchor: Math.min(start, length), head: Math.min(end, length) },
        effects: EditorView.scrollIntoView(Math.min(start, length), { y: 'center' }),
      });
      view.focus();
    },
    destroy() {
      view.destroy();
    },
  };
}
