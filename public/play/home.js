import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Tabs } from '../shared/tabs.js';
import { useMedia } from '../shared/use-media.js';
import { FriendsTab, friendsTab } from './friends-tab.js';
import { Library } from './library.js';

/**
 * The games and the player's friends: side by side, or one at a time on a small screen.
 * @param {{ launcher: import('./launcher.js').Launcher }} props
 */
export function Home({ launcher }) {
  const wide = useMedia('(min-width: 64rem)');
  const [panel, setPanel] = useState('games');
  if (wide) {
    return html`
      <main class="game-screen wide">
        <${Library} launcher=${launcher} hidden=${false} />
        <aside class="side" aria-label="Friends"><div class="panel"><${FriendsTab} launcher=${launcher} /></div></aside>
      </main>
    `;
  }
  const tabs = [
    { id: 'games', label: 'Games', icon: /** @type {const} */ ('game') },
    friendsTab(launcher, wide),
  ];
  return html`
    <main class="game-screen narrow">
      <${Library} launcher=${launcher} labelledBy="tab-games" hidden=${panel !== 'games'} />
      <div class="side">
        <${Tabs} label="Games and friends" tabs=${tabs} selected=${panel} onSelect=${setPanel} />
        ${
          panel === 'friends' &&
          html`
            <div class="panel" role="tabpanel" tabindex="-1" id="panel-friends" aria-labelledby="tab-friends">
              <h1 class="visually-hidden">Your friends</h1>
              <${FriendsTab} launcher=${launcher} />
            </div>
          `
        }
      </div>
    </main>
  `;
}
