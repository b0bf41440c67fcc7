import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Loading } from '../shared/states.js';
import { toastError } from '../shared/toasts.js';
import { Composer } from './composer.js';
import { othersIn, titleOf } from './conversation-title.js';
import { draftOf, keepDraft } from './drafts.js';
import { EmojiPicker } from './emoji-picker.js';
import { GroupInfo } from './group-info.js';
import { excerptOf, MessageItem } from './message-item.js';
import { PlayerActions } from './player-actions.js';

/** @typedef {import('./conversation-state.js').Message} Message */

/** How often presence is polled, in milliseconds; a player who writes is shown as present immediately. */
const presencePollMs = 10_000;

/** The dialogs about a message: to react to it, about its sender, and to unsend it. */
const messageDialogs = ['react', 'sender', 'unsend'];

/** Within this distance of the end, in pixels, the log scrolls along with new messages. */
const nearEnd = 80;

/**
 * One conversation: its messages, who is online, and the composer.
 * @param {import('./messages.js').InGame & { conversation: import('./conversation-state.js').ConversationState }} props
 */
export function Conversation({ launcher, current, conversation }) {
  const { conversations } = current;
  const { players, wallet, places } = launcher;
  const { isConnected } = launcher.connectionState;
  const { channel, unsent, originals } = conversation;
  // Messages received before the block are still loaded.
  const messages = conversation.messages.filter(({ senderId }) => !current.blocked.has(senderId));
  const [editing, setEditing] = useState(/** @type {Message | null} */ (null));
  const [replying, setReplying] = useState(/** @type {Message | null} */ (null));
  const [active, setActive] = useState(/** @type {string | null} */ (null));
  const [busy, setBusy] = useState(false);
  const log = useRef(/** @type {HTMLDivElement | null} */ (null));
  const atEnd = useRef(true);
  const [first] = othersIn(channel, wallet);
  const shownAs = first ?? wallet;
  const [picking, acting, unsending] = messageDialogs.map((name) => {
    const id = places.dialog(name);
    return messages.find(({ _id }) => _id === id);
  });
  // The message of the open dialog may be unsent, or its sender blocked.
  const orphan =
    conversation.loaded &&
    !picking &&
    !acting &&
    !unsending &&
    messageDialogs.find((name) => places.dialog(name) !== null);
  useEffect(() => {
    if (orphan) places.closeDialog(orphan);
  }, [orphan]);

  const lastKey = unsent.at(-1)?.key ?? messages.at(-1)?._id;
  useLayoutEffect(() => {
    const element = log.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [conversation.loaded, lastKey, messages.at(-1)?.content, conversation.typing.size]);
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'hidden') return;
      conversations.markRead();
      conversations.refreshParticipants().catch(() => {});
    };
    const timer = setInterval(refresh, presencePollMs);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [conversations]);
  // A message that was unsent in the meantime can no longer be edited.
  useEffect(() => {
    if (editing && !messages.some(({ _id }) => _id === editing._id)) setEditing(null);
    if (replying && !messages.some(({ _id }) => _id === replying._id)) setReplying(null);
  }, [conversation.messages]);

  // What was typed in place of a message is still there when the conversation is opened again.
  useEffect(() => {
    const edited = messages.find(({ _id, senderId }) => senderId === wallet && draftOf(wallet, _id) !== '');
    if (conversation.loaded && edited) setEditing(edited);
  }, [conversation.loaded]);

  /** @param {Event} event */
  const scrolled = ({ currentTarget }) => {
    const { scrollTop, scrollHeight, clientHeight } = /** @type {HTMLElement} */ (currentTarget);
    atEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
  };
  const unsend = async () => {
    if (!unsending) return;
    setBusy(true);
    await conversations.unsend(unsending).catch(toastError);
    setBusy(false);
    places.closeDialog('unsend');
  };
  const loadEarlier = async () => {
    const before = log.current?.scrollHeight ?? 0;
    await conversations.loadEarlier().catch(toastError);
    // The messages being read keep their position.
    requestAnimationFrame(() => log.current?.scrollBy(0, log.current.scrollHeight - before));
  };
  /** @param {string} text */
  const submit = async (text) => {
    if (editing) {
      await conversations.edit(editing, text);
      keepDraft(wallet, editing._id, '');
      setEditing(null);
      return;
    }
    atEnd.current = true;
    // On failure the conversation shows it as not sent, with a retry button.
    conversations.send(text, replying?._id).catch(toastError);
    setReplying(null);
  };
  /** @param {Message} message */
  const originalOf = ({ replyTo }) =>
    replyTo === undefined
      ? undefined
      : (messages.find(({ _id }) => _id === replyTo) ?? originals.get(replyTo) ?? null);
  const permissions = channel.participants.find((one) => one.wallet === wallet)?.permissions ?? [];
  const lastOwn = messages.findLast(({ senderId }) => senderId === wallet) ?? null;

  return html`
    <div class="conversation">
      <div class="conversation-head">
        <${Button} kind="plain" size="small" iconOnly label="Back to all messages" onClick=${() => places.leave({ channel: '', dialogs: [] })}>
          <${Icon} name="arrowLeft" />
        <//>
        <button type="button" class="conversation-title" onClick=${() => places.openDialog('details')}>
          <span class="visually-hidden">Conversation details: </span>
          <${Avatar} small wallet=${shownAs} url=${players.avatar(shownAs)} present=${isConnected ? presentOf(conversation, shownAs) : undefined} />
          <span class="conversation-title-text">
            <strong class="truncate">${titleOf(channel, wallet, players)}</strong>
            <span class="quiet small truncate">${isConnected ? presenceText(conversation, wallet) : 'You are offline'}</span>
          </span>
        </button>
        <${Button} kind="plain" size="small" iconOnly label="Participants" onClick=${() => places.openDialog('details')}><${Icon} name="people" /><//>
      </div>
      <div
        class="log"
        ref=${log}
        role="log"
        aria-label="Messages with ${titleOf(channel, wallet, players)}"
        tabindex="0"
        onScroll=${scrolled}
        onKeyDown=${stepInLog}
        onFocusIn=${(/** @type {FocusEvent} */ { target }) => setActive(messageOf(target)?.dataset.message ?? null)}
      >
        ${
          conversation.loaded
            ? html`
                ${
                  conversation.complete
                    ? html`<p class="log-start quiet small">${messages.length === 0 ? 'No messages yet. Say hello.' : 'Beginning of the conversation'}</p>`
                    : html`<${Button} kind="plain" size="small" onClick=${loadEarlier}>Show earlier messages<//>`
                }
                ${messages.map(
                  (message, index) => html`
                    <${MessageItem}
                      key=${message._id}
                      message=${message}
                      before=${messages[index - 1]}
                      after=${messages[index + 1]}
                      isActive=${message._id === active}
                      own=${message.senderId === wallet}
                      players=${players}
                      inGroup=${channel.participants.length > 2}
                      original=${originalOf(message)}
                      onReply=${() => {
                        setEditing(null);
                        setReplying(message);
                      }}
                      onMore=${() => places.openDialog('sender', message._id)}
                      onEdit=${() => setEditing(message)}
                      onUnsend=${() => places.openDialog('unsend', message._id)}
                      onReact=${(/** @type {string} */ reaction) => conversations.react(message, reaction).catch(toastError)}
                      onPick=${() => places.openDialog('react', message._id)}
                    />
                  `,
                )}
                ${unsent.map(
                  (one) =>
                    html`<${UnsentItem} key=${one.key} unsent=${one} conversations=${conversations} live=${isConnected} />`,
                )}
              `
            : html`<${Loading} label="Loading messages" />`
        }
      </div>
      <p class="typing quiet small" data-typing=${typingText(conversation, players) !== ''}>${typingText(conversation, players)}</p>
      <${Composer}
        key=${editing?._id ?? 'new'}
        places=${places}
        editing=${editing}
        replying=${replying && { id: replying._id, name: replying.senderId === wallet ? 'yourself' : players.name(replying.senderId), excerpt: excerptOf(replying.content) }}
        offline=${!isConnected}
        draft=${draftOf(wallet, editing?._id ?? channel._id)}
        onDraft=${(/** @type {string} */ text) => keepDraft(wallet, editing?._id ?? channel._id, text)}
        onSubmit=${submit}
        onCancel=${() => {
          if (editing) keepDraft(wallet, editing._id, '');
          setEditing(null);
          setReplying(null);
        }}
        onType=${() => conversations.type()}
        onEditLast=${() => setEditing(lastOwn)}
      />
      ${
        unsending &&
        html`
          <${ConfirmDialog} title="Unsend this message?" confirm="Unsend" busy=${busy} onConfirm=${unsend} onClose=${() => places.closeDialog('unsend')}>
            <blockquote class="quoted">${unsending.content}</blockquote>
            <p>It is removed for everyone in this conversation, and its content is permanently deleted.</p>
          <//>
        `
      }
      ${acting && html`<${PlayerActions} launcher=${launcher} current=${current} wallet=${acting.senderId} message=${acting} canMute=${permissions.includes('super-admin')} onClose=${() => places.closeDialog('sender')} />`}
      ${picking && html`<${EmojiPicker} anchor=${() => reactButtonOf(picking)} label="React with" onPick=${(/** @type {string} */ reaction) => conversations.react(picking, reaction).catch(toastError)} onClose=${() => places.closeDialog('react')} />`}
      ${places.dialog('details') !== null && html`<${GroupInfo} launcher=${launcher} current=${current} conversation=${conversation} onClose=${() => places.closeDialog('details')} />`}
    </div>
  `;
}

/**
 * The arrow keys move between messages; Tab goes on to the actions of the focused one.
 * @param {KeyboardEvent} event
 */
function stepInLog(event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined) return;
  const log = /** @type {HTMLElement} */ (event.currentTarget);
  const all = [...log.querySelectorAll('[data-message]')];
  const at = all.indexOf(/** @type {Element} */ (messageOf(event.target)));
  const next = all[at < 0 ? all.length - 1 : at + step];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}

/**
 * The message that an element belongs to.
 * @param {EventTarget | null} target
 * @returns {HTMLElement | null}
 */
function messageOf(target) {
  return target instanceof Element ? target.closest('[data-message]') : null;
}

/** @param {Message} message @returns {HTMLElement | null} */
function reactButtonOf({ _id }) {
  return document.querySelector(`[data-message="${CSS.escape(_id)}"] .message-action`);
}

/**
 * A message being sent, or one that could not be sent. Screen readers announce it once it has been sent; a notification
 * says why it could not be.
 * @param {{
 *   unsent: import('./conversation-state.js').Unsent,
 *   conversations: import('./conversations.js').Conversations,
 *   live: boolean,
 * }} props
 */
function UnsentItem({ unsent, conversations, live }) {
  return html`
    <div class="message own unsent" aria-live="off">
      <div class="bubble">${unsent.content}</div>
      ${
        unsent.failed
          ? html`
              <p class="message-meta">
                <span class="not-sent">Not sent</span>
                <button type="button" class="link target" onClick=${() => conversations.sendAgain(unsent).catch(toastError)}>Retry</button>
                <button type="button" class="link target" onClick=${() => conversations.discard(unsent.key)}>Discard</button>
              </p>
            `
          : html`<p class="message-meta">${live ? 'Sending…' : 'Waiting for the connection…'}</p>`
      }
    </div>
  `;
}

/**
 * @param {import('./conversation-state.js').ConversationState} conversation
 * @param {string} wallet
 */
function presentOf({ participants }, wallet) {
  return participants.get(wallet)?.present;
}

/**
 * @param {import('./conversation-state.js').ConversationState} conversation
 * @param {string} own
 */
function presenceText({ channel, participants }, own) {
  const others = othersIn(channel, own);
  if (participants.size === 0) return '';
  const online = others.filter((wallet) => participants.get(wallet)?.present).length;
  if (others.length === 1) return online === 1 ? 'Online' : 'Offline';
  return `${online} of ${others.length} online`;
}

/**
 * @param {import('./conversation-state.js').ConversationState} conversation
 * @param {import('./player-book.js').PlayerBook} players
 */
function typingText({ typing }, players) {
  const now = Date.now();
  const names = [...typing].filter(([, until]) => until > now).map(([wallet]) => players.name(wallet));
  if (names.length === 0) return '';
  if (names.length > 2) return 'Several people are typing…';
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} typing…`;
}
