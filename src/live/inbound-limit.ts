const windowMs = 1_000;

/**
 * Limits the packets a connection may send per second, and the total size of a message's attachments, which Socket.IO
 * buffers until the last one arrives. Calls are limited elsewhere; this guards against packets that are not calls,
 * thousands of which fit into a single long-polling POST, and against packets before admission.
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

  /** Counts a packet. Returns false when it exceeds a limit. */
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
