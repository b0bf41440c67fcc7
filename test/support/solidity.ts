import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import solcManifest from 'solc/package.json' with { type: 'json' };
import type { Abi, Hex } from 'viem';
import { z } from 'zod';
import { testCache } from './test-cache.ts';

const hex = z.templateLiteral(['0x', z.string()]);
const output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.custom<Abi>(Array.isArray),
          evm: z.object({
            bytecode: z.object({ object: z.string().transform((code) => hex.parse(`0x${code}`)) }),
          }),
        }),
      ),
    )
    .default({}),
});

export interface Contract {
  abi: Abi;
  bytecode: Hex;
}

/**
 * The contracts of a Solidity file, by name. Loading the compiler takes longer than compiling, so its output is cached
 * until the file or the compiler changes.
 * @throws Error the compiler's error messages
 */
export async function contractsOf(file: URL): Promise<(name: string) => Contract> {
  const source = basename(file.pathname);
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { [source]: { content: await readFile(file, 'utf8') } },
    // A version that every chain has long supported: nothing newer is needed.
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  });
  const { errors, contracts } = output.parse(JSON.parse(await compile(input)));
  const fatal = errors.filter(({ severity }) => severity === 'error');
  if (fatal.length > 0) throw new Error(fatal.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return (name) => {
    const contract = contracts[source]?.[name];
    if (!contract) throw new Error(`${source} has no ${name}`);
    return { abi: contract.abi, bytecode: contract.evm.bytecode.object };
  };
}

async function compile(input: string): Promise<string> {
  const hash = createHash('sha256').update(`${solcManifest.version}\n${input}`).digest('hex');
  const kept = join(testCache, `solc-${hash.slice(0, 16)}.json`);
  const earlier = await readFile(kept, 'utf8').catch(() => null);
  if (earlier !== null) return earlier;
  const { default: solc } = await import('solc');
  const compiled = solc.compile(input);
  await mkdir(testCache, { recursive: true });
  const unfinished = `${kept}.${process.pid}`;
  await writeFile(unfinished, compiled);
  await rename(unfinished, kept);
  return compiled;
}
