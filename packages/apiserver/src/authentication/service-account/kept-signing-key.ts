import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateSigningKey, type SigningKey, signingKeyOfPem } from "./signing-keys.ts";

const fileName = "service-account.key";

/**
 * Returns the key for ServiceAccount tokens from a directory and creates it if missing. Without a directory, returns a new key.
 *
 * @throws {Error} that names the file, if the file is not valid
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
