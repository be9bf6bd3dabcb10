import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import process from "node:process";
import type { IssuedCertificate } from "./certificate-authority.ts";
import { certificateBlocks } from "./pem-certificate.ts";

/** Maximum size of a certificate or key file, in bytes. */
const maxBytes = 1024 * 1024;

/**
 * Reads a certificate and its private key from two files.
 *
 * @throws {Error} if a file is not valid; the message contains its path
 */
export function readPair(certFile: string, keyFile: string): IssuedCertificate {
  const [certificate, key] = [textIn(certFile), textIn(keyFile)];
  const blocks = certificateBlocks(certificate);
  if (blocks.length === 0) throw new Error(`${certFile} does not contain a PEM certificate`);
  const [leaf] = blocks.map((block) =>
    attempt(`${certFile} contains a certificate that cannot be parsed`, () => new X509Certificate(block)),
  );
  const privateKey = attempt(`${keyFile} does not contain a private key that can be parsed`, () =>
    createPrivateKey(key),
  );
  if (!leaf?.checkPrivateKey(privateKey))
    throw new Error(`the key in ${keyFile} does not belong to the certificate in ${certFile}`);
  // OpenSSL refuses some pairs that match, such as a key that is too short. `node:tls` is loaded only here, because most importers of
  // this package read no pair.
  attempt(`TLS does not accept the certificate in ${certFile} with its key`, () =>
    process.getBuiltinModule("node:tls").createSecureContext({ cert: certificate, key }),
  );
  return { certificate, key };
}

function textIn(file: string): string {
  const found = attempt(`cannot read ${file}`, () => statSync(file));
  if (!found.isFile()) throw new Error(`cannot read ${file}: it is not a file`);
  if (found.size > maxBytes)
    throw new Error(`${file} is ${found.size} bytes long, which is too large for a certificate`);
  return attempt(`cannot read ${file}`, () => readFileSync(file, "utf8"));
}

function attempt<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
