import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Empty, Loading } from '../shared/states.js';
import { ReleaseBanner } from './release-banner.js';

/**
 * The sandbox of game frames. A game on another origin keeps its origin and with it its storage; a game
 * served here gets an opaque origin, because otherwise it could access this page and its token.
 */
const sandbox =
  'allow-scripts allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-popups-to-escape-sandbox';

/**
 * The game itself, in a sandboxed frame.
 * @param {{ launcher: import('./launcher.js').Launcher, current: import('./open-game.js').OpenGame }} props
 */
export function GameFrame({ launcher, current }) {
  const { game, frameUrl, ending, reloads } = current;
  const stage = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [loads, setLoads] = useState(0);
  const loaded = loads > reloads;
  useEffect(() => () => current.leaveFrame(), [current]);
  const crossOrigin = frameUrl !== null && frameUrl.origin !== location.origin;
  return html`
    <div class="game-bar">
      <a class="button plain small" ...${launcher.places.link({ slug: '' })}><${Icon} name="arrowLeft" />All games</a>
      <h1 class="truncate">${game.name}</h1>
      <${Button} kind="plain" size="small" iconOnly label="About ${game.name}" onClick=${() => launcher.showAbout(game)}><${Icon} name="info" /><//>
      ${
        frameUrl !== null &&
        ending === null &&
        html`
          <${Button} kind="plain" size="small" iconOnly label="Full screen" onClick=${() => stage.current?.requestFullscreen()}>
            <${Icon} name="expand" />
          <//>
        `
      }
    </div>
    <div class="game-banners"><${ReleaseBanner} launcher=${launcher} current=${current} /></div>
    <div class="stage" ref=${stage}>
      ${
        ending !== null
          ? html`
              <div class="state error" role="alert">
                <${Icon} name="alert" />
                <strong>${ending.title}</strong>
                <p>${ending.text}</p>
              </div>
            `
          : frameUrl === null
            ? html`<${Empty} icon="game" title="This game has no page to open"><p>It is hosted elsewhere. Its leaderboard, activity and your messages are available here.</p><//>`
            : html`
                ${!loaded && html`<${Loading} label="Opening ${game.name}" />`}
                <iframe
                  key=${reloads}
                  class=${loaded ? '' : 'loading'}
                  title=${game.name}
                  src=${frameUrl.href}
                  sandbox=${crossOrigin ? `${sandbox} allow-same-origin` : sandbox}
                  allow="autoplay; fullscreen; gamepad; clipboard-write"
                  ref=${(/** @type {HTMLIFrameElement | null} */ frame) => frame && current.enterFrame(frame)}
                  onLoad=${() => {
                    setLoads(reloads + 1);
                    current.frameLoaded();
                  }}
                ></iframe>
              `
      }
    </div>
  `;
}
