import { html } from 'htm/preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Most used first; a whole list of emoji would need a search. */
const emoji = [
  ...'👍|❤️|😂|🎉|🔥|👏|🙏|💯'.split('|'),
  ...'😀|😃|😄|😁|😅|🤣|😊|😇'.split('|'),
  ...'🙂|😉|😍|😘|😎|🤩|🥳|😋'.split('|'),
  ...'🤔|🤨|😐|🙄|😏|😬|😴|🤯'.split('|'),
  ...'😕|😢|😭|😱|😡|🥶|😳|🤗'.split('|'),
  ...'👎|👋|🤝|✌️|💪|🫡|👀|🤷'.split('|'),
  ...'🏆|🥇|🎮|🎯|🎲|⚔️|🛡️|🚀'.split('|'),
  ...'⭐|✨|💎|💀|👻|🤖|☕|🍕'.split('|'),
];
const columns = 8;
const marginPx = 8;

/**
 * A grid of emoji beside the button it was opened from; the arrow keys move in it, Escape and a click elsewhere close it.
 * @param {{ anchor: () => HTMLElement | null, label: string, onPick: (emoji: string) => void, onClose: () => void }} props
 */
export function EmojiPicker({ anchor, label, onPick, onClose }) {
  const picker = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    const element = picker.current;
    const beside = anchor();
    if (element === null || beside === null) return;
    beside.focus(); // where the focus returns to, also when it is opened by going forward
    element.showPopover();
    place(element, beside);
    element.querySelector('button')?.focus();
    return () => element.hidePopover();
  }, []);
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const buttons = [...(picker.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + columns, ArrowUp: at - columns }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    buttons[to]?.focus();
  };
  return html`
    <div
      ref=${picker}
      class="emoji-picker"
      popover="auto"
      role="dialog"
      aria-label=${label}
      onKeyDown=${move}
      onToggle=${(/** @type {ToggleEvent} */ { newState }) => newState === 'closed' && picker.current !== null && onClose()}
    >
      ${emoji.map(
        (one, at) => html`
          <button key=${one} type="button" class="emoji" tabindex=${at === 0 ? 0 : -1} aria-label="${label}: ${one}" onClick=${() => {
            picker.current?.hidePopover();
            onPick(one);
          }}>${one}</button>
        `,
      )}
    </div>
  `;
}

/**
 * Above the anchor or, without room, below it; inside of the window.
 * @param {HTMLElement} element
 * @param {HTMLElement} anchor
 */
function place(element, anchor) {
  const { top, bottom, right } = anchor.getBoundingClientRect();
  const { width, height } = element.getBoundingClientRect();
  const above = top - height - marginPx;
  const left = Math.min(Math.max(right - width, marginPx), innerWidth - width - marginPx);
  element.style.left = `${left}px`;
  element.style.top = `${above >= marginPx ? above : Math.min(bottom + marginPx, innerHeight - height - marginPx)}px`;
}
