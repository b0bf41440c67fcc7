/** The WebSocket frame of an event, the JSON array of its name and arguments. */
export function eventFrame(event: string): Buffer {
  return eventFrames([event]);
}

/** The frames of events in one buffer. */
export function eventFrames(events: readonly string[]): Buffer {
  return textFrames(events.map((event) => `42${event}`));
}

/** A server's WebSocket frames of texts (RFC 6455, 5.2), each a header and its payload, in one buffer. */
export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const frames = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerBytes(length) + length, 0));
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at = writeHeader(frames, at, lengths[index] ?? 0);
    at += frames.write(text, at);
  }
  return frames;
}

function headerBytes(length: number): number {
  return length < 126 ? 2 : length < 65_536 ? 4 : 10;
}

/** Returns the end of the header. */
function writeHeader(frame: Buffer, at: number, length: number): number {
  frame[at] = 0x81; // final, text
  if (length < 126) frame[at + 1] = length;
  else if (length < 65_536) {
    frame[at + 1] = 126;
    frame.writeUInt16BE(length, at + 2);
  } else {
    frame[at + 1] = 127;
    frame.writeBigUInt64BE(BigInt(length), at + 2);
  }
  return at + headerBytes(length);
}

/** Frames of at most this size are kept together; in bytes. */
const maxKeptBytes = 64 * 1024;
let last: { frames: readonly Buffer[]; together: Buffer } = { frames: [], together: Buffer.alloc(0) };

/** Frames in one buffer. The sockets of a channel get the same frames one after the other: they share the buffer. */
export function framesTogether(frames: readonly Buffer[]): Buffer {
  const [only] = frames;
  if (only && frames.length === 1) return only;
  if (frames.length === last.frames.length && frames.every((frame, at) => frame === last.frames[at])) {
    return last.together;
  }
  const together = Buffer.concat(frames);
  if (together.length <= maxKeptBytes) last = { frames, together };
  return together;
}
