import { createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import { z } from 'zod';

const hex = z.string().regex(/^([0-9a-fA-F]{2})+$/);

const keystore = z.object({
  version: z.literal(3),
  crypto: z.object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: hex }),
    ciphertext: hex,
    mac: hex,
    kdf: z.string(),
    kdfparams: z.record(z.string(), z.unknown()),
  }),
});
const scryptParams = z.object({
  n: z.int().max(1 << 20),
  r: z.int().max(64),
  p: z.int().max(64),
  dklen: z.literal(32),
  salt: hex,
});
const pbkdf2Params = z.object({
  c: z.int().max(10_000_000),
  prf: z.literal('hmac-sha256'),
  dklen: z.literal(32),
  salt: hex,
});

/**
 * The private key in a keystore file (Web3 Secret Storage Definition, version 3).
 * @throws Error in words, without what the file holds
 */
export function openKeystore(text: string, password: string): Hex {
  const { crypto } = parsed(text);
  const derived = derivedKey(crypto.kdf, crypto.kdfparams, password);
  const ciphertext = Buffer.from(crypto.ciphertext, 'hex');
  const mac = Buffer.from(keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2), 'hex');
  const expected = Buffer.from(crypto.mac, 'hex');
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) {
    throw new Error('the password is not that of the keystore file');
  }
  const iv = Buffer.from(crypto.cipherparams.iv, 'hex');
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  return `0x${Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('hex')}`;
}

function parsed(text: string): z.infer<typeof keystore> {
  try {
    return keystore.parse(JSON.parse(text));
  } catch {
    throw new Error('the file is no keystore of version 3 with aes-128-ctr');
  }
}

function derivedKey(kdf: string, params: unknown, password: string): Buffer {
  const scrypt = scryptParams.safeParse(params);
  if (kdf === 'scrypt' && scrypt.success) {
    const { n, r, p, dklen, salt } = scrypt.data;
    return scryptSync(password, Buffer.from(salt, 'hex'), dklen, { N: n, r, p, maxmem: 256 * n * r });
  }
  const pbkdf2 = pbkdf2Params.safeParse(params);
  if (kdf === 'pbkdf2' && pbkdf2.success) {
    const { c, dklen, salt } = pbkdf2.data;
    return pbkdf2Sync(password, Buffer.from(salt, 'hex'), c, dklen, 'sha256');
  }
  throw new Error('the keystore file derives its key in a way that is not known here (scrypt, pbkdf2)');
}
