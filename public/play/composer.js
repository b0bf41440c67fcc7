import { html } from 'htm/preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { messageOf } from '../shared/states.js';
import { EmojiPicker } from './emoji-picker.js';

/** README.md, "Message channels". */
const maxLength = 4_000;
/** The number of characters left is shown from here on. */
const counterThreshold = 200;

/**
 * The message input. Enter sends, Shift+Enter inserts a new line, the up arrow in an empty field edits the last own
 * message, Escape cancels an edit or a reply.
 * @param {{
 *   places: import('./places.js').Places,
 *   editing: import('./conversation-state.js').Message | null,
 *   replying: { id: string, name: string, excerpt: string } | null,
 *   offline: boolean,
 *   draft: string,
 *   onDraft: (text: string) => void,
 *   onSubmit: (text: string) => Promise<void>,
 *   onCancel: () => void,
 *   onType: () => void,
 *   onEditLast: () => void,
 * }} props `draft`: of a new message, or of the edited one
 */
export function Composer({
  places,
  editing,
  replying,
  offline,
  draft,
  onDraft,
  onSubmit,
  onCancel,
  onType,
  onEditLast,
}) {
  const [text, showText] = useState(draft || (editing?.content ?? ''));
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const row = useRef(/** @type {HTMLDivElement | null} */ (null));
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const isSending = useRef(false);

  useLayoutEffect(() => {
    const element = field.current;
    // Focusing would open a phone's keyboard over the conversation, which is only wanted for an edit.
    if (!element || (!editing && matchMedia('(pointer: coarse)').matches)) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);

  /** @param {string} changed */
  const setText = (changed) => {
    showText(changed);
    onDraft(changed === editing?.content ? '' : changed);
  };

  // After choosing to reply, the focus moves to the input.
  useLayoutEffect(() => {
    if (replying) field.current?.focus();
  }, [replying?.id]);

  const submit = async () => {
    const element = field.current;
    // Read from the field itself: a fast typist presses Enter before the last input is rendered.
    const content = element?.value.trim() ?? '';
    if (!element || content === '' || isSending.current) return;
    isSending.current = true;
    setProblem('');
    setBusy(true);
    if (!editing) {
      setText('');
      element.value = '';
    }
    try {
      await onSubmit(content);
    } catch (error) {
      setProblem(messageOf(error));
    }
    isSending.current = false;
    setBusy(false);
  };
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === 'Escape' && (editing || replying)) {
      event.preventDefault();
      onCancel();
    } else if (event.key === 'ArrowUp' && text === '' && !editing) {
      event.preventDefault();
      onEditLast();
    }
  };
  /** @param {Event} event */
  const typed = (event) => {
    setText(/** @type {HTMLTextAreaElement} */ (event.currentTarget).value);
    if (!editing) onType();
  };
  /** @param {string} emoji */
  const insert = (emoji) => {
    const element = field.current;
    if (!element) return;
    element.focus();
    element.setRangeText(emoji, element.selectionStart, element.selectionEnd, 'end');
    setText(element.value);
  };
  const left = maxLength - text.length;
  return html`
    <form
      class="composer"
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        submit();
      }}
    >
      ${
        editing &&
        html`
          <div class="composer-editing small">
            <${Icon} name="edit" /><span>Editing your message</span>
            <button type="button" class="link target" onClick=${onCancel}>Cancel</button>
          </div>
        `
      }
      ${
        replying &&
        !editing &&
        html`
          <div class="composer-editing small">
            <${Icon} name="reply" /><span class="truncate">Replying to ${replying.name}: ${replying.excerpt}</span>
            <button type="button" class="link target" onClick=${onCancel}>Cancel</button>
          </div>
        `
      }
      ${offline && html`<p class="composer-hint small">You are offline. Messages are sent when you are connected again.</p>`}
      ${problem && html`<p class="composer-hint problem small" role="alert">${problem}</p>`}
      <div class="composer-row" ref=${row}>
        <${Button} kind="plain" iconOnly label="Insert emoji" onClick=${() => places.openDialog('emoji')}>
          <${Icon} name="smile" />
        <//>
        <textarea
          ref=${field}
          class="input"
          rows="1"
          maxlength=${maxLength}
          aria-label=${editing ? 'Edit your message' : 'Write a message'}
          placeholder=${editing ? 'Edit your message' : 'Write a message'}
          value=${text}
          onInput=${typed}
          onKeyDown=${pressed}
        ></textarea>
        <${Button} type="submit" kind="primary" iconOnly busy=${busy && editing !== null} disabled=${text.trim() === ''} label=${editing ? 'Save' : 'Send'}>
          <${Icon} name=${editing ? 'check' : 'send'} />
        <//>
      </div>
      ${places.dialog('emoji') !== null && html`<${EmojiPicker} anchor=${() => row.current?.querySelector('button') ?? null} label="Insert" onPick=${insert} onClose=${() => places.closeDialog('emoji')} />`}
      ${left < counterThreshold && html`<p class="composer-hint small" role="status">${left} characters left</p>`}
    </form>
  `;
}
