import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Ledger } from './ledger.ts';
import { type Player, wins } from './players.ts';

/** A player writes repeatedly under this nonce and this label, a larger number each time. */
const repeated = { nonce: 'again', label: 'progress' };

/** Play sessions end after they began, whatever a test has set the server's clock to. */
const twoDaysMs = 48 * 60 * 60 * 1000;

/** A write's call, and its effect. */
interface Write {
  path: string;
  input: object;
  key: string;
  value: string | null;
  /** Receives the response, for writes that depend on it. */
  answered?(answer: unknown): void;
}

export interface Answer {
  status: number;
  body: unknown;
  /** The client's port. */
  port: number;
}

/** A player's keep-alive connection, with what later writes refer to: the messages and play session written before. */
export class Poster {
  readonly player: Player;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #messages: { id: string; number: number }[] = [];
  #play = { id: randomUUID(), updates: 0 };
  /** Filler in every state, in bytes: fills the write-ahead log sooner. */
  readonly #fillerBytes: number;

  constructor(player: Player, fillerBytes = 0) {
    this.player = player;
    this.#fillerBytes = fillerBytes;
  }

  /** Makes the next write; null when the server is gone. The ledger has recorded an acknowledged one by then. */
  async writeNext(url: string, ledger: Ledger): Promise<Answer | null> {
    const { path, input, key, value, answered } = this.#write(ledger.nextNumber());
    const entry = ledger.requested(key, value);
    const answer = await this.post(`${url}/launcher/${path}`, input).catch(() => null);
    if (answer?.status === 200) {
      ledger.answered(entry, answer.port);
      answered?.(answer.body);
    }
    return answer;
  }

  /** Calls with this player's token. Rejects when the connection breaks. */
  post(url: string, input: object): Promise<Answer> {
    const body = JSON.stringify({ launcherJwt: this.player.launcherJwt, ...input });
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      const sent = request(url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        const port = response.socket.localPort ?? 0;
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('error', reject);
        response.once('end', () => {
          if (response.complete) resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), port });
        });
        response.once('close', () => reject(new Error('the answer broke off')));
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  hangUp(): void {
    this.#agent.destroy();
  }

  #write(number: number): Write {
    const { wallet } = this.player;
    switch (number % 12) {
      case 1:
      case 5:
        return this.#message(number);
      case 2:
        return {
          path: 'set-state',
          input: {
            label: repeated.label,
            state: JSON.stringify({ number, filler: 'x'.repeat(this.#fillerBytes) }),
          },
          key: `state ${wallet} ${repeated.label}`,
          value: String(number),
        };
      case 3:
        return {
          path: 'send-custom-activity',
          input: { label: `activity ${number}`, eventId: 'load' },
          key: `activity ${wallet} activity ${number}`,
          value: 'load',
        };
      case 4:
        return {
          path: 'send-notification',
          input: { message: `notification ${number}`, type: 'success' },
          key: `notification ${wallet} notification ${number}`,
          value: 'success',
        };
      case 6:
        return this.#edit(number);
      case 7:
        return {
          path: 'trigger-rules-engine',
          input: { trigger: wins.trigger, nonce: `t-${number}`, value: number },
          key: `trigger ${wallet} t-${number}`,
          value: String(number),
        };
      case 8:
        return this.#playSession(number);
      case 9:
        return this.#score(number, repeated.nonce);
      case 11:
        return this.#unsend(number);
      default:
        return this.#score(number, `n-${number}`);
    }
  }

  #score(number: number, nonce: string): Write {
    return {
      path: 'set-user-score',
      input: { score: number, nonce },
      key: `score ${this.player.wallet} ${nonce}`,
      value: String(number),
    };
  }

  #message(number: number): Write {
    const { channelId } = this.player;
    return {
      path: 'send-channel-message',
      input: { channelId, content: `message ${number}` },
      key: `message ${number}`,
      value: `message ${number}`,
      answered: (answer) => this.#messages.push({ id: (answer as { _id: string })._id, number }),
    };
  }

  #edit(number: number): Write {
    const last = this.#messages.at(-1);
    if (!last) return this.#message(number);
    const newContent = `message ${last.number} edited ${number}`;
    return {
      path: 'edit-channel-message',
      input: { messageId: last.id, newContent },
      key: `message ${last.number}`,
      value: newContent,
    };
  }

  #unsend(number: number): Write {
    const first = this.#messages.shift(); // requested once: after a crash nobody knows whether it still exists
    if (!first) return this.#message(number);
    return {
      path: 'unsend-channel-message',
      input: { messageId: first.id },
      key: `message ${first.number}`,
      value: null,
    };
  }

  /** Starts a play session, updates it twice, ends it, and starts the next. */
  #playSession(number: number): Write {
    const { id } = this.#play;
    const ends = ++this.#play.updates === 4;
    if (ends) this.#play = { id: randomUUID(), updates: 0 };
    return {
      path: 'track-game-sessions',
      input: {
        sessionId: id,
        state: JSON.stringify({ number }),
        ...(ends && { endTime: Date.now() + twoDaysMs }),
      },
      key: `play session ${id}`,
      value: ends ? `${number} ended` : String(number),
    };
  }
}

/**
 * Has all players write, each the next once the last is acknowledged, until the server is gone, or there are enough.
 * @throws Error when any response is an error
 */
export async function burst(
  url: string,
  posters: readonly Poster[],
  ledger: Ledger,
  isEnough: () => boolean = () => false,
): Promise<void> {
  await Promise.all(
    posters.map(async (poster) => {
      while (!isEnough()) {
        const answer = await poster.writeNext(url, ledger);
        if (!answer) return;
        if (answer.status !== 200) {
          throw new Error(`a write was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
        }
      }
    }),
  );
}
