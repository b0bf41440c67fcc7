import { html } from 'htm/preact';
import { Tabs } from '../shared/tabs.js';
import { useMedia } from '../shared/use-media.js';
import { FriendsTab, friendsTab } from './friends-tab.js';
import { Library } from './library.js';
import { Messages, useOpenConversation } from './messages.js';
import { NewsTab, newsTab } from './news-tab.js';

/** @type {Readonly<Record<string, string>>} */
const titles = { friends: 'Your friends', messages: 'Your messages', news: 'News' };

/**
 * The games, the player's friends, messages outside of games, and news: side by side, or one at a time on a small screen.
 * @param {{ launcher: import('./launcher.js').Launcher }} props
 */
export function Home({ launcher }) {
  const wide = useMedia('(min-width: 64rem)');
  const { places, shown: place } = launcher;
  const { conversations } = launcher.lobby;
  const usual = wide ? 'friends' : 'games';
  const shown = Object.hasOwn(titles, place.panel) ? place.panel : usual;
  useOpenConversation(launcher, conversations, shown);
  /** @param {string[]} wallets */
  const talkTo = async (wallets) => {
    places.go({ panel: 'messages', channel: await conversations.start(wallets) });
  };
  /** @param {string} id @param {boolean} isByKey */
  const select = (id, isByKey) => {
    if (id !== shown) places.go({ panel: id }, isByKey);
  };
  /** The games can be hundreds. @param {Event} event */
  const skipGames = (event) => {
    event.preventDefault();
    document.getElementById(`tab-${shown}`)?.focus();
  };
  const tabs = [
    ...(wide ? [] : [{ id: 'games', label: 'Games', icon: /** @type {const} */ ('game') }]),
    friendsTab(launcher, wide),
    {
      id: 'messages',
      label: 'Messages',
      icon: wide ? undefined : /** @type {const} */ ('chat'),
      count: conversations.unread,
    },
    newsTab(launcher, wide),
  ];
  return html`
    <main class="game-screen ${wide ? 'wide' : 'narrow'}" tabindex="-1">
      ${wide && html`<a class="skip-link visually-hidden" href="#tab-${shown}" onClick=${skipGames}>Skip the games</a>`}
      <${Library} launcher=${launcher} labelledBy=${wide ? undefined : 'tab-games'} hidden=${shown !== 'games' && !wide} />
      <div class="side">
        <${Tabs} label=${wide ? 'Friends, messages and news' : 'Games, friends, messages and news'} tabs=${tabs} selected=${shown} onSelect=${select} />
        ${
          shown !== 'games' &&
          html`
            <div class="panel" role="tabpanel" tabindex="-1" id="panel-${shown}" aria-labelledby="tab-${shown}">
              ${!wide && html`<h1 class="visually-hidden">${titles[shown]}</h1>`}
              ${shown === 'friends' && html`<${FriendsTab} launcher=${launcher} onTalkTo=${talkTo} />`}
              ${shown === 'messages' && html`<${Messages} launcher=${launcher} current=${launcher.lobby} onTalkTo=${talkTo} />`}
              ${shown === 'news' && html`<${NewsTab} launcher=${launcher} />`}
            </div>
          `
        }
      </div>
    </main>
  `;
}
