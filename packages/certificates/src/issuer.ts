import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { certificateDetails, type NameAttribute } from "./certificate-details.ts";
import { childrenOf, identifierText, readDer } from "./der-reader.ts";
import { certificateBlocks } from "./pem-certificate.ts";

/** A certificate authority, and the data that its certificates must contain for clients to verify them. */
export interface Issuer {
  readonly key: KeyObject;
  /** DER encoding of the authority's name. */
  readonly subject: Buffer;
  readonly attributes: readonly NameAttribute[];
  /** Subject key identifier from the authority's certificate; absent if the certificate has none. */
  readonly keyId: Buffer | undefined;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Certificates from the authority's own up to the root's, in PEM format; empty if the authority is a root. */
  readonly chain: string;
}

/**
 * Reads an authority from its certificate and key.
 *
 * @throws {Error} if clients would not accept the authority's certificates, because the certificate does not belong to
 * an authority, the key belongs to a different certificate, or the key must not be used to sign certificates
 */
export function readIssuer(certificate: string, privateKey: string): Issuer {
  const blocks = certificateBlocks(certificate);
  const own = new X509Certificate(blocks[0] ?? certificate);
  const key = createPrivateKey(privateKey);
  if (!own.checkPrivateKey(key)) throw new Error("the CA certificate does not match the private key");
  const { basicConstraints, signsCertificates, subjectDer, issuerDer, ...details } = certificateDetails(own);
  if (!basicConstraints?.ca)
    throw new Error("according to its basic constraints, the certificate is not a CA certificate");
  if (signsCertificates === false)
    throw new Error("the certificate's key usage does not permit the authority's key to sign certificates");
  const isRoot = subjectDer.equals(issuerDer);
  return {
    key,
    subject: subjectDer,
    attributes: details.subject,
    keyId: keyIdOf(own.raw),
    notBeforeMs: details.notBeforeMs,
    notAfterMs: details.notAfterMs,
    chain: isRoot ? "" : blocks.join(""),
  };
}

/** Reports whether clients treat two names as equal. OpenSSL, for example, ignores case and the number of spaces. */
export function isSameName(one: readonly NameAttribute[], other: readonly NameAttribute[]): boolean {
  const canonical = (name: readonly NameAttribute[]): string =>
    JSON.stringify(name.map(({ type, value }) => [type, value.trim().replace(/\s+/g, " ").toLowerCase()]));
  return canonical(one) === canonical(other);
}

/** Returns the subject key identifier in an authority's certificate. */
function keyIdOf(certificate: Buffer): Buffer | undefined {
  const body = childrenOf(childrenOf(readDer(certificate)[0])[0]);
  return childrenOf(body.find(({ tag }) => tag === 0xa3))
    .flatMap(childrenOf)
    .flatMap((each) => {
      const parts = childrenOf(each);
      const [type, value] = [parts[0], parts.at(-1)];
      return type && value && identifierText(type) === "2.5.29.14" ? (readDer(value.content)[0]?.content ?? []) : [];
    })[0];
}
