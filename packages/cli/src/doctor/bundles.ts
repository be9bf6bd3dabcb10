import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "@kubewright/certificates";
import { dayMs, type Finding, spanText } from "./finding.ts";

/** What renews certificates does it earlier. */
const soonMs = 14 * dayMs;

/** The certificates in PEM that may be anything. @throws {Error} if there is none, or one cannot be read */
function certificatesIn(pem: string): X509Certificate[] {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) throw new Error("there is no certificate in it");
  return blocks.map((block) => new X509Certificate(block));
}

/** Of a bundle the last certificate to expire counts: others were replaced. */
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

/** Whether one of a bundle's certificates has signed a served one, or is it. */
export function isTrusted(served: string, bundle: string): boolean {
  const [leaf, ...between] = certificatesIn(served);
  const roots = certificatesIn(bundle);
  return (
    leaf !== undefined &&
    [leaf, ...between].some((one) => roots.some((root) => root.raw.equals(one.raw) || one.verify(root.publicKey)))
  );
}
