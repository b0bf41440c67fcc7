import { defineEvent } from '../../core/events/event.ts';
import type { Signals } from '../../core/events/signals.ts';
import { streamOf } from '../../core/events/stream.ts';
import { type NewsAnnouncement, newsAnnouncement } from './news.ts';

/** A signal to launchers and to the game's sessions; of the installation's news, to those of every game. */
export const newsCreated = defineEvent('news created', newsAnnouncement);

/** Announces a published item to the sockets of this process. */
export function announceNews(signals: Signals, record: NewsAnnouncement): void {
  const { gameId } = record;
  signals.sendHere({
    name: newsCreated.name,
    record,
    stream: gameId === null ? 'games' : streamOf.game(gameId),
    audience: { kind: 'sessions', gameId, launchers: true },
  });
}
