import { z } from 'zod';
import type { EventPlace, StoredEvent } from '../../core/events/stream.ts';
import { playerBlocksPatched } from '../../features/messages/blocks/events.ts';
import { changesRanking } from '../../features/scores/score.ts';

/**
 * Whom this node has sockets of: players by wallet, from before a socket reads its positions until it has left, and
 * games whose public streams are followed, by id. They are held as hashes, by which other nodes name who an event
 * concerns. An event that concerns none of them can be skipped.
 */
export class Interests {
  /** The number of sockets by hash. */
  readonly #counts = new Map<number, number>([[everyNode, 1]]);

  add(name: string): void {
    const hash = hashOf(name);
    this.#counts.set(hash, (this.#counts.get(hash) ?? 0) + 1);
  }

  remove(name: string): void {
    const hash = hashOf(name);
    const count = this.#counts.get(hash) ?? 0;
    if (count > 1) this.#counts.set(hash, count - 1);
    else this.#counts.delete(hash);
  }

  has(hash: number): boolean {
    return this.#counts.has(hash);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 1; // `everyNode`
  }
}

/** The hashes of the players or the game that an event concerns. */
export function concernedBy({ audience, name }: StoredEvent): number[] {
  if (audience.kind === 'game') return [hashOf(audience.gameId)];
  if (audience.kind === 'account') return [hashOf(audience.wallet)];
  const { wallets, hiddenFrom, gameId } = audience;
  const hashes = wallets.map(hashOf);
  if (hiddenFrom) hashes.push(...hiddenFrom.map(hashOf));
  if (changesRanking({ name })) hashes.push(hashOf(gameId));
  if (name === playerBlocksPatched.name) hashes.push(everyNode); // friends of the player follow on any node
  return hashes;
}

/** No name has this hash but by chance. */
const everyNode = 0;

/** FNV-1a, as a signed 32-bit integer. Two names with the same hash cost no more than parsing some events in vain. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** The events of a commit, or of several in a row, in one lane. */
export interface CommittedEvents {
  readonly lane: number;
  /** The positions of the first and the last event. */
  readonly first: number;
  readonly last: number;
  /** Those of other lanes that precede any of them in their streams. */
  readonly after: readonly EventPlace[];
  /** Those that concern anybody on this node. @throws Error when another node has sent something else than events */
  wanted(interests: Interests): StoredEvent[];
}

/** Events written by this process, by lane. */
export function committed(events: readonly StoredEvent[]): CommittedEvents[] {
  return inLanes(events).map((run) => ({
    ...placesOf(run),
    wanted: (interests) => run.filter((event) => concernedBy(event).some((hash) => interests.has(hash))),
  }));
}

/**
 * What is needed to skip the events of a frame without parsing them. Each event: the lengths of its two texts, in UTF-16
 * code units, and the hashes of whom it concerns.
 */
const header = z.object({
  lane: z.int(),
  first: z.int(),
  last: z.int(),
  after: z.array(z.object({ lane: z.int(), position: z.int() })).readonly(),
  events: z.custom<number[][]>(Array.isArray), // checked where they are read: there may be many
});

/**
 * Encodes events for other nodes: of each lane a line with the header, and one with the events, each as its JSON without
 * the record, followed by that of the record.
 */
export function encodeFrames(events: readonly StoredEvent[]): string {
  return inLanes(events).map(encodeFrame).join('');
}

function encodeFrame(events: readonly StoredEvent[]): string {
  let texts = '';
  const sizes = events.map((event) => {
    const { record, stream, name, epoch, seq, lane, position, after, audience } = event;
    const text = JSON.stringify({ stream, name, epoch, seq, lane, position, after, audience });
    texts += text + record;
    return [text.length, record.length, ...concernedBy(event)];
  });
  return `${JSON.stringify({ ...placesOf(events), events: sizes } satisfies z.infer<typeof header>)}\n${texts}\n`;
}

/** Encodes up to where events have been written that were not sent; those who receive it read them from the database. */
export function encodeReached({ lane, position }: EventPlace): string {
  const places = { lane, first: position + 1, last: position, after: [] };
  return `${JSON.stringify({ ...places, events: [] } satisfies z.infer<typeof header>)}\n\n`;
}

const newLine = 0x0a;

/** Decodes a message of `encodeFrames`. @throws Error when it is none */
export function decodeFrames(message: Buffer): CommittedEvents[] {
  const decoded: CommittedEvents[] = [];
  for (let at = 0; at < message.length; ) {
    const start = endOfLine(message, at) + 1;
    const end = endOfLine(message, start);
    const { events, ...places } = header.parse(JSON.parse(message.toString('latin1', at, start)));
    decoded.push({
      ...places,
      wanted: (interests) => eventsIn(() => message.toString('utf8', start, end), events, interests),
    });
    at = end + 1;
  }
  return decoded;
}

function eventsIn(decode: () => string, events: readonly number[][], interests: Interests): StoredEvent[] {
  const found: StoredEvent[] = [];
  let texts: string | undefined;
  let at = 0;
  for (const event of events) {
    const record = at + Number(event[0]);
    const end = record + Number(event[1]);
    if (isConcerned(event, interests)) {
      texts ??= decode();
      found.push({ ...JSON.parse(texts.slice(at, record)), record: texts.slice(record, end) });
    }
    at = end;
  }
  if (texts !== undefined && texts.length !== at) throw new Error('events of another node are incomplete');
  return found;
}

function isConcerned(event: readonly number[], interests: Interests): boolean {
  for (let at = 2; at < event.length; at++) if (interests.has(event[at] ?? 0)) return true;
  return false;
}

function endOfLine(message: Buffer, from: number): number {
  const end = message.indexOf(newLine, from);
  if (end < 0) throw new Error('a message with events of another node is incomplete');
  return end;
}

/** Nearly always one: a node writes to another lane only after it has lost its own. */
function inLanes(events: readonly StoredEvent[]): StoredEvent[][] {
  return [...Map.groupBy(events, ({ lane }) => lane).values()];
}

function placesOf(events: readonly StoredEvent[]): Omit<CommittedEvents, 'wanted'> {
  const { lane = 0, position: first = 0 } = events[0] ?? {};
  const last = events.at(-1)?.position ?? 0;
  return { lane, first, last, after: events.flatMap(({ after }) => after ?? []) };
}
