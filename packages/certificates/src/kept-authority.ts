import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CertificateAuthority } from "./certificate-authority.ts";

/**
 * Returns the authority stored in the files `<name>.crt` and `<name>.key` in a directory. If the files do not exist,
 * creates an authority and stores it there. Without a directory, a new authority is created each time.
 *
 * @throws {Error} if a file is not valid; the message contains its path
 */
export function certificateAuthority(name: string, directory: string | undefined): CertificateAuthority {
  if (directory === undefined) return new CertificateAuthority(name);
  const path = { certificate: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) };
  if (existsSync(path.certificate) && existsSync(path.key)) {
    const kept = { certificate: readFileSync(path.certificate, "utf8"), key: readFileSync(path.key, "utf8") };
    try {
      return new CertificateAuthority(name, kept);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(
        `${path.certificate} and ${path.key} do not contain a usable authority: ${why}; remove both to create a new one`,
        { cause },
      );
    }
  }
  const authority = new CertificateAuthority(name);
  const { certificate, key } = authority.export();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(path.key, key, { mode: 0o600 });
  writeFileSync(path.certificate, certificate, { mode: 0o644 });
  return authority;
}
