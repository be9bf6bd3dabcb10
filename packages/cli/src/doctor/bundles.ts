import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "@kubewright/certificates";
import { dayMs, type Finding, spanText } from "./finding.ts";

/** Remaining validity below which an expiry is reported. Certificates are normally renewed earlier. */
const soonMs = 14 * dayMs;

/** Parses the certificates in untrusted PEM text. @throws {Error} if there are none, or one cannot be read */
function certificatesIn(pem: string): X509Certificate[] {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) throw new Error("it contains no certificate");
  return blocks.map((block) => new X509Certificate(block));
}

/**
 * Reports a bundle that has expired or expires soon. A bundle expires when the last of its certificates does, because
 * earlier ones have been replaced by then.
 */
export function expiry(
  pem: string,
  what: string,
  { where, remedy, nowMs }: Pick<Finding, "where" | "remedy"> & { readonly nowMs: number },
): Finding | undefined {
  const found = (text: string): Finding => ({ what: `${what} ${text}`, where, remedy });
  try {
    const leftMs = Math.max(...certificatesIn(pem).map(({ validTo }) => Date.parse(validTo))) - nowMs;
    if (leftMs <= 0) return found(`expired ${spanText(-leftMs)} ago`);
    return leftMs < soonMs ? found(`expires in ${spanText(leftMs)}`) : undefined;
  } catch (error) {
    return found(`cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Reports whether the bundle contains the served certificate or its signer. */
export function isTrusted(served: string, bundle: string): boolean {
  const [leaf, ...between] = certificatesIn(served);
  const roots = certificatesIn(bundle);
  return (
    leaf !== undefined &&
    [leaf, ...between].some((one) => roots.some((root) => root.raw.equals(one.raw) || one.verify(root.publicKey)))
  );
}
