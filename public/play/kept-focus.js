import { useEffect, useRef } from 'preact/hooks';
import { addressOf } from './places.js';

/**
 * Keeps the keyboard's focus where the player is: when what had it is gone with what was closed, it returns to what it was
 * opened from, and when a game or conversation replaces what had it, it moves there. Dialogs and menus do so themselves,
 * unless they were opened by going forward or by a reload.
 * @param {import('./launcher.js').Launcher} launcher
 * @returns the properties of the element within which it is kept
 */
export function useKeptFocus(launcher) {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  /** What had the focus last, by address. @type {{ current: Map<string, string> }} */
  const last = useRef(new Map());
  const { places, current, lobby, opening } = launcher;
  const { place } = places;
  const address = addressOf(place);
  const channelId = (current ?? lobby).conversations.open?.channel._id ?? '';
  // A game that is being opened, or a conversation that is being loaded, is shown a moment later.
  const isComing = opening !== null || (place.channel !== '' && place.channel !== channelId);
  const before = useRef({ slug: place.slug, channel: place.channel, isFirst: true });

  useEffect(() => {
    if (isComing) return;
    const { slug, channel, isFirst } = before.current;
    const isSameGame = slug === (current?.game.slug ?? '');
    before.current = { slug: current?.game.slug ?? '', channel: channelId, isFirst: false };
    if (isFirst) return;
    // After a dialog that is closed has returned the focus itself.
    const timer = setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const isNewChannel = channelId !== '' && channelId !== channel;
      const names = isNewChannel ? [] : [last.current.get(address), channel];
      const all = [...(ref.current?.querySelectorAll('button, a') ?? [])].filter((one) =>
        one.checkVisibility(),
      );
      const opener = names.map((name) => name && all.find((one) => nameOf(one) === name)).find(Boolean);
      const usual = isSameGame ? '[role="tab"][aria-selected="true"]' : 'main';
      const found = opener || ref.current?.querySelector(channelId ? '.log' : usual);
      /** @type {HTMLElement | null | undefined} */ (found)?.focus();
    });
    return () => clearTimeout(timer);
  }, [address, current, channelId, isComing]);

  return {
    ref,
    onFocusIn: (/** @type {FocusEvent} */ { target }) => {
      if (target instanceof Element) last.current.set(addressOf(places.place), nameOf(target));
    },
  };
}

/** What a control is found by after it has been rendered again. @param {Element} element @returns {string} */
function nameOf(element) {
  return element.getAttribute('data-conversation') ?? element.ariaLabel ?? element.textContent ?? '';
}
