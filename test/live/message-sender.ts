import { type Answer, post } from '../support/http.ts';
import type { TestPlayer } from '../support/server.ts';

export interface SenderCounts {
  acknowledged: number;
  /** Attempts that failed without a response: the message may have been sent, and was retried. */
  unknownOutcomes: number;
  /** Attempts without a connection, or refused temporarily: certainly not sent, and retried. */
  refused: number;
  /** Those among them that a server answered with 503. */
  unavailable: number;
}

export interface Sender {
  counts: SenderCounts;
  /** The ids of acknowledged messages, by stream. */
  acknowledged: Map<string, Set<string>>;
  /** Stops sending new ones, and resolves when the last has been acknowledged. */
  stop(): Promise<void>;
}

export interface SenderOptions {
  urls: readonly string[];
  perSecond: number;
  channels: readonly { id: string; participants: readonly TestPlayer[] }[];
  /** The text of the message with this number. */
  content?: (number: number) => string;
  /** Whether to send no new ones for now, having sent this many. */
  pauses?: (sent: number) => boolean;
  /**
   * Whether messages are accompanied by other writes: of twelve, others react to three and mark them as read, reply to
   * three, the sender edits two and unsends two, gets notifications with three and marks all of them as read with one,
   * and sets a score on this leaderboard with three. Each is retried until it is acknowledged, and edits and the like
   * are sent once.
   */
  leaderboard?: string;
}

/** The maximum retried concurrently while no server answers; more would keep the machine from starting one. */
const mostWaiting = 500;

/**
 * Sends messages over HTTP at a constant rate, to the servers and channels in turn, each retried until acknowledged.
 */
export function startSending({
  urls,
  perSecond,
  channels,
  content = (number) => `message ${number}`,
  pauses = () => false,
  leaderboard,
}: SenderOptions): Sender {
  const counts: SenderCounts = { acknowledged: 0, unknownOutcomes: 0, refused: 0, unavailable: 0 };
  const acknowledged = new Map<string, Set<string>>();
  const underWay = new Set<Promise<void>>();
  const from = performance.now();
  let sent = 0;

  async function send(number: number): Promise<void> {
    const channel = channels[number % channels.length];
    const sender = channel?.participants[number % channel.participants.length];
    if (!channel || !sender) throw new Error('there is no sender');
    const channelId = channel.id;
    const { launcherJwt } = sender;
    const message = { launcherJwt, channelId, content: content(number) };
    const { _id: messageId = '' } = await sendUntilTaken(number, 'send-channel-message', message);
    counts.acknowledged++;
    const stream = `channel:${channelId}`;
    acknowledged.set(stream, (acknowledged.get(stream) ?? new Set()).add(messageId));
    const other = channel.participants.find((one) => one !== sender);
    if (leaderboard === undefined || !other) return;
    const kind = number % 12;
    const answer = { launcherJwt: other.launcherJwt, messageId };
    const once = { 'Idempotency-Key': messageId };
    if (kind % 4 === 0) {
      await sendUntilTaken(number, 'add-reaction', { ...answer, reaction: `e${number % 3}` });
      await sendUntilTaken(number, 'mark-messages-read', { ...answer, channelId });
    }
    if (kind % 4 === 1) {
      const reply = { ...answer, channelId, content: `reply to ${number}`, replyTo: messageId };
      await sendUntilTaken(number, 'send-channel-message', reply, once);
    }
    if (kind % 6 === 1) {
      const edit = { launcherJwt, messageId, newContent: `edited ${number}` };
      await sendUntilTaken(number, 'edit-channel-message', edit, once);
    }
    if (kind % 4 === 2) {
      const notification = { launcherJwt, message: `notification ${number}`, type: 'success' };
      await sendUntilTaken(number, 'send-notification', notification, once);
    }
    if (kind === 6) await sendUntilTaken(number, 'mark-notifications-read', { launcherJwt, all: true });
    if (kind % 4 === 3) {
      const score = { launcherJwt, leaderboard, score: number, nonce: String(number) };
      await sendUntilTaken(number, 'set-user-score', score);
    }
    if (kind % 6 === 5) {
      const unsend = { launcherJwt, messageId };
      await sendUntilTaken(number, 'unsend-channel-message', unsend, { 'Idempotency-Key': `un${messageId}` });
    }
  }

  async function sendUntilTaken(
    number: number,
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<{ _id?: string }> {
    for (let attempt = 0; ; attempt++) {
      const url = urls[(number + attempt) % urls.length];
      const answer = await sendOnce(`${url}/launcher/${path}`, body, headers);
      if (answer) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function sendOnce(
    url: string,
    body: object,
    headers: Record<string, string>,
  ): Promise<{ _id?: string } | null> {
    const answer = await attempt(url, body, headers);
    if (typeof answer === 'string') {
      counts[answer]++;
      if (answer === 'unavailable') counts.refused++;
      return null;
    }
    if (answer.status !== 200) throw new Error(`refused for good: ${JSON.stringify(answer.body)}`);
    return answer.body as { _id?: string };
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - from) / 1000) * perSecond;
    while (sent < due && underWay.size < mostWaiting && !pauses(sent)) {
      const sending: Promise<void> = send(sent++).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
  }, 10);
  return {
    counts,
    acknowledged,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

/** Calls once; without an answer, or with a temporary refusal, which of the counts it belongs to. */
export async function attempt(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer | 'unknownOutcomes' | 'refused' | 'unavailable'> {
  try {
    const answer = await post(url, body, headers);
    if (answer.status === 502) return 'unknownOutcomes'; // a proxy: the server behind it closed the connection
    // 408: the server did not receive the whole request in time, on a busy machine, and has executed nothing.
    if (answer.status === 408) return 'refused';
    return answer.status === 503 ? 'unavailable' : answer;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error; // others mean that no response came
    return error.code === 'ECONNREFUSED' ? 'refused' : 'unknownOutcomes';
  }
}
