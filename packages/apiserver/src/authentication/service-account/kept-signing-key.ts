import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateSigningKey, type SigningKey, signingKeyOfPem } from "./signing-keys.ts";

const fileName = "service-account.key";

/**
 * Returns the signing key for ServiceAccount tokens stored in a directory, and creates it if it is missing. Without a
 * directory, returns a new key that is not stored.
 *
 * @throws {Error} if the file does not contain a valid key; the message contains the path
 */
export function keptSigningKey(directory: string | undefined): SigningKey {
  if (directory === undefined) return generateSigningKey();
  const path = join(directory, fileName);
  if (existsSync(path)) {
    try {
      return signingKeyOfPem(readFileSync(path, "utf8"));
    } catch (cause) {
      throw new Error(`${path} contains no readable private key; remove it to create a new one`, { cause });
    }
  }
  const key = generateSigningKey();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(path, key.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return key;
}
