import { runUnreliableRpc } from './unreliable-rpc.ts';

/** At full size: 200 triggers, and an RPC server that is down for 30 s. Ends with 1 when one was lost or duplicated. */
const result = await runUnreliableRpc({ triggers: 200, share: 0.3, lowMs: 30_000 });
process.stdout.write(`${JSON.stringify(result)}\n`);
const { triggers, confirmed, balances, transactions, gaps } = result;
process.exitCode =
  confirmed === triggers && balances === triggers && transactions === triggers && gaps === 0 ? 0 : 1;
