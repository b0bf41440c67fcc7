import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { Tabs } from '../shared/tabs.js';
import { useMedia } from '../shared/use-media.js';
import { ActivityFeed } from './activity-feed.js';
import { FriendsTab, friendsTab } from './friends-tab.js';
import { GameFrame } from './game-frame.js';
import { Leaderboard } from './leaderboard.js';
import { Messages, useOpenConversation } from './messages.js';

const panels = ['leaderboard', 'activity', 'messages', 'friends'];

/**
 * A game and its panels: side by side, or one at a time on a small screen.
 * @param {{ launcher: import('./launcher.js').Launcher, current: import('./open-game.js').OpenGame }} props
 */
export function GameScreen({ launcher, current }) {
  const wide = useMedia('(min-width: 64rem)');
  const { places, shown: place } = launcher;
  const { conversations } = current;
  const usual = wide ? 'leaderboard' : 'game';
  const shown = panels.includes(place.panel) ? place.panel : usual;

  useOpenConversation(launcher, conversations, shown);

  // On a small screen, the game comes to the front when a friend is joined in it.
  useEffect(() => {
    if (current.joins > 0 && !wide) places.go({});
  }, [current.joins]);

  /** @param {string[]} wallets */
  const talkTo = async (wallets) => {
    places.go({ panel: 'messages', channel: await conversations.start(wallets) });
  };
  /** @param {string} id @param {boolean} isByKey */
  const select = (id, isByKey) => {
    if (id !== shown) places.go({ panel: id }, isByKey);
  };
  const tabs = [
    ...(wide ? [] : [{ id: 'game', label: 'Game', icon: /** @type {const} */ ('game') }]),
    {
      id: 'leaderboard',
      label: wide ? 'Leaderboard' : 'Leaders',
      icon: wide ? undefined : /** @type {const} */ ('trophy'),
    },
    { id: 'activity', label: 'Activity', icon: wide ? undefined : /** @type {const} */ ('bolt') },
    {
      id: 'messages',
      label: 'Messages',
      icon: wide ? undefined : /** @type {const} */ ('chat'),
      count: conversations.unread,
    },
    friendsTab(launcher, wide),
  ];
  return html`
    <main class="game-screen ${wide ? 'wide' : 'narrow'}" tabindex="-1">
      <section
        class="game-area"
        hidden=${!wide && shown !== 'game'}
        role=${wide ? undefined : 'tabpanel'}
        id=${wide ? undefined : 'panel-game'}
        aria-label=${wide ? current.game.name : undefined}
        aria-labelledby=${wide ? undefined : 'tab-game'}
      >
        <${GameFrame} launcher=${launcher} current=${current} />
      </section>
      <div class="side">
        ${!wide && shown !== 'game' && html`<h1 class="visually-hidden">${current.game.name}</h1>`}
        <${Tabs} label="Game panels" tabs=${tabs} selected=${shown} onSelect=${select} />
        ${
          shown !== 'game' &&
          html`
            <div class="panel" role="tabpanel" tabindex=${shown === 'activity' ? 0 : -1} id="panel-${shown}" aria-labelledby="tab-${shown}">
              ${shown === 'leaderboard' && html`<${Leaderboard} launcher=${launcher} current=${current} onTalkTo=${talkTo} />`}
              ${shown === 'activity' && html`<${ActivityFeed} launcher=${launcher} current=${current} />`}
              ${shown === 'messages' && html`<${Messages} launcher=${launcher} current=${current} onTalkTo=${talkTo} />`}
              ${shown === 'friends' && html`<${FriendsTab} launcher=${launcher} onTalkTo=${talkTo} />`}
            </div>
          `
        }
      </div>
    </main>
  `;
}
