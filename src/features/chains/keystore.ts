import * as Keystore from 'ox/Keystore';
import type { Hex } from 'viem';
import { z } from 'zod';

const hex = z.string().regex(/^([0-9a-fA-F]{2})+$/);

/** The cost parameters are bounded: a crafted file must not keep the process busy or exhaust its memory. */
const scrypt = z.object({
  kdf: z.literal('scrypt'),
  kdfparams: z.object({
    n: z.int().max(1 << 20),
    r: z.int().max(64),
    p: z.int().max(64),
    dklen: z.literal(32),
    salt: hex,
  }),
});
const pbkdf2 = z.object({
  kdf: z.literal('pbkdf2'),
  kdfparams: z.object({
    c: z.int().max(10_000_000),
    prf: z.literal('hmac-sha256'),
    dklen: z.literal(32),
    salt: hex,
  }),
});

const cipher = z.object({
  cipher: z.literal('aes-128-ctr'),
  cipherparams: z.object({ iv: hex }),
  ciphertext: hex,
  mac: hex,
});

const keystore = z.object({
  version: z.literal(3),
  crypto: z.object({ ...cipher.shape, kdf: z.string(), kdfparams: z.unknown() }),
});
const derivation = z.discriminatedUnion('kdf', [scrypt, pbkdf2]);

/**
 * Decrypts the private key in a keystore file (Web3 Secret Storage Definition, version 3).
 * @throws Error with a message for the operator, without the file's contents
 */
export function openKeystore(text: string, password: string): Hex {
  const { crypto, version } = parse(text);
  const derived = derivation.safeParse(crypto);
  if (!derived.success) {
    throw new Error('unsupported key derivation in the keystore file (supported: scrypt, pbkdf2)');
  }
  // `id` only identifies the file.
  const file: Keystore.Keystore = { version, id: '', crypto: { ...crypto, ...derived.data } };
  const key = Keystore.toKey(file, { password });
  try {
    return Keystore.decrypt(file, key);
  } catch {
    throw new Error('wrong password for the keystore file');
  }
}

function parse(text: string): z.infer<typeof keystore> {
  try {
    return keystore.parse(JSON.parse(text));
  } catch {
    throw new Error('not a keystore file of version 3 with aes-128-ctr');
  }
}
