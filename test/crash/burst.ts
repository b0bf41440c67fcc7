import { post } from '../support/http.ts';
import type { Kind, Ledger, Poster } from './ledger.ts';

/** Under this nonce and this label a poster writes again and again, a larger number each time. */
export const repeated = { nonce: 'again', label: 'progress' };

/**
 * Posts on as many connections as there are posters, each the next as soon as the last is answered, until
 * the server is gone. What was answered is in the ledger by then; so is what was not.
 */
export async function burst(url: string, posters: readonly Poster[], ledger: Ledger): Promise<void> {
  await Promise.all(posters.map((poster) => postUntilGone(url, poster, ledger)));
}

async function postUntilGone(url: string, poster: Poster, ledger: Ledger): Promise<void> {
  for (;;) {
    const number = ledger.nextNumber();
    const entry = ledger.asked(kindOf(number), poster, number);
    const [path, body] = requestFor(entry.kind, number);
    let answer: Awaited<ReturnType<typeof post>>;
    try {
      answer = await post(`${url}/launcher/${path}`, { launcherJwt: poster.launcherJwt, ...body(poster) });
    } catch {
      return; // the connection broke: the server is gone
    }
    if (answer.status !== 200) {
      throw new Error(`${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    ledger.answered(entry);
  }
}

/** Mostly scores, and some of each other kind. */
function kindOf(number: number): Kind {
  const kinds: Kind[] = ['score', 'score', 'message', 'score', 'state', 'repeated score'];
  return kinds[number % kinds.length] ?? 'score';
}

function requestFor(kind: Kind, number: number): [path: string, body: (poster: Poster) => object] {
  switch (kind) {
    case 'score':
      return ['set-user-score', () => ({ score: number, nonce: `n-${number}` })];
    case 'repeated score':
      return ['set-user-score', () => ({ score: number, nonce: repeated.nonce })];
    case 'message':
      return ['send-channel-message', ({ channelId }) => ({ channelId, content: `message ${number}` })];
    case 'state':
      return ['set-state', () => ({ label: repeated.label, state: JSON.stringify({ number }) })];
  }
}
