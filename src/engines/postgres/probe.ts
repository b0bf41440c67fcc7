import { Connection } from './connection.ts';

/** How long the server may take to answer a question that costs it nothing. */
const answerMs = 3_000;

/** What a server holds: which history, and how many batches each lane has committed. */
export interface Standing {
  readonly epoch: string;
  readonly lanes: ReadonlyMap<number, number>;
}

/** The server has not answered in time, though the connection to it may be open still. */
export class NoAnswer extends Error {}

/** Asks whether the server is there, on a connection of its own: on the others, an answer may wait for long work. */
export class Probe {
  readonly #url: string;
  #connection: Connection | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** @throws NoAnswer, or what the driver says */
  async ask(): Promise<Standing> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#connection?.destroy();
    }, answerMs);
    try {
      this.#connection ??= await Connection.open(this.#url, 'gantry probe'); // gives up by itself
      const { rows } = await this.#connection.run<{ epoch: string; lane: number | null; n: number }>(
        'SELECT epoch, lane, n FROM history LEFT JOIN write_lanes ON true',
      );
      const lanes = new Map<number, number>();
      for (const { lane, n } of rows) if (lane !== null) lanes.set(lane, n);
      return { epoch: rows[0]?.epoch ?? '', lanes };
    } catch (error) {
      this.#connection?.destroy();
      this.#connection = null;
      const gaveUp = isLate || (error instanceof Error && error.message.startsWith('timeout expired'));
      throw gaveUp ? new NoAnswer(`no answer within ${answerMs / 1000} s`, { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }
}
