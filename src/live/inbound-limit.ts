const windowMs = 1_000;

/**
 * Whether a connection sends more packets within a second than any launcher has reason to, or attachments that
 * together are longer than a frame may be: Socket.IO gathers them until the last one has come. What a packet
 * asks for is limited elsewhere; this is about those that ask for nothing, thousands in a single POST of long
 * polling, or before anyone was admitted.
 */
export class InboundLimit {
  readonly #packetsPerSecond: number;
  readonly #maxAttachmentBytes: number;
  readonly #lengthPerSecond: number;
  #length = 0;
  #packets = 0;
  #windowEndsAt = 0;
  #attachedBytes = 0;

  /** `lengthPerSecond` counts characters of text and bytes. */
  constructor(packetsPerSecond: number, maxAttachmentBytes: number, lengthPerSecond: number) {
    this.#lengthPerSecond = lengthPerSecond;
    this.#packetsPerSecond = packetsPerSecond;
    this.#maxAttachmentBytes = maxAttachmentBytes;
  }

  /** Counts a packet. False when it is one too many. */
  accepts(data: unknown): boolean {
    const now = performance.now();
    if (now >= this.#windowEndsAt) {
      this.#packets = 0;
      this.#length = 0;
      this.#windowEndsAt = now + windowMs;
    }
    this.#packets++;
    this.#length += lengthOf(data);
    this.#attachedBytes = ArrayBuffer.isView(data) ? this.#attachedBytes + data.byteLength : 0;
    return (
      this.#packets <= this.#packetsPerSecond &&
      this.#length <= this.#lengthPerSecond &&
      this.#attachedBytes <= this.#maxAttachmentBytes
    );
  }
}

function lengthOf(data: unknown): number {
  if (typeof data === 'string') return data.length;
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}
