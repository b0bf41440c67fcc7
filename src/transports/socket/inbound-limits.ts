import type { Socket } from 'socket.io';
import { maximumBodyBytes } from '../http/body.ts';
import { cut } from './slow-readers.ts';

const windowMs = 1_000;

/**
 * Cuts a connection that sends more packets within a second than any launcher has reason to, or attachments
 * that together are longer than a frame may be: Socket.IO gathers them until the last one has come. What a
 * packet asks for is limited elsewhere; this is about those that ask for nothing, thousands in a single POST
 * of long polling, or before anyone was let in.
 */
export function limitInbound(conn: Socket['conn'], packetsASecond: number, onCut: () => void): void {
  let packets = 0;
  let windowEnds = 0;
  let attachedBytes = 0;
  let isCut = false;
  conn.on('packet', ({ data }: { data?: unknown }) => {
    const now = performance.now();
    if (now >= windowEnds) {
      packets = 0;
      windowEnds = now + windowMs;
    }
    packets++;
    attachedBytes = ArrayBuffer.isView(data) ? attachedBytes + data.byteLength : 0;
    if (packets <= packetsASecond && attachedBytes <= maximumBodyBytes) return;
    if (isCut) return; // what still comes with it
    isCut = true;
    onCut();
    cut(conn);
  });
}
