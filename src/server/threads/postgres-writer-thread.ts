import { LocalWriter } from '../../engines/postgres/local-writer.ts';
import { type NodeWriterOptions, threadCalls } from '../../engines/postgres/node-writer.ts';
import { serveWriter } from '../../engines/writer-thread.ts';
import { runThread } from '../../runtime/run-thread.ts';
import { domain } from '../declarations/domain.ts';

/** The thread that writes to PostgreSQL; its composition root, as `server.ts` is for the process. */
runThread((port, options: NodeWriterOptions) => {
  const writer = new LocalWriter(domain, options);
  serveWriter(port, writer, domain.commands, {
    [threadCalls.begin]: () => writer.begin(),
    [threadCalls.revive]: () => writer.revive(),
    [threadCalls.cutOff]: async () => writer.cutOff(),
    [threadCalls.setEpoch]: async (epoch: string) => writer.setEpoch(epoch),
    [threadCalls.counts]: () => writer.counts(),
    [threadCalls.stats]: () => writer.stats(),
  });
});
