import { type KeyObject, sign, verify } from "node:crypto";
import { ownMember } from "@kubewright/apimachinery";

/** Digest for each signing algorithm. ECDSA signatures consist of both numbers, concatenated. */
const digests: Readonly<Record<string, string>> = {
  RS256: "sha256",
  ES256: "sha256",
  ES384: "sha384",
  ES512: "sha512",
};

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * Signs a payload and returns a JSON Web Signature in compact form. Uses Node's crypto module, which adds nothing to
 * the startup time.
 */
export function signCompact(
  header: { readonly alg: string; readonly kid: string },
  claims: Readonly<Record<string, unknown>>,
  key: KeyObject,
): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const signature = sign(digests[header.alg], Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

/** Reports whether a token in compact form was signed with the given key. */
export function isSignedBy(token: string, algorithm: string, key: KeyObject): boolean {
  const dot = token.lastIndexOf(".");
  const digest = ownMember(digests, algorithm);
  const signature = token.slice(dot + 1);
  if (digest === undefined || !/^[A-Za-z0-9_-]+$/.test(signature)) return false;
  const bytes = Buffer.from(signature, "base64url");
  return verify(digest, Buffer.from(token.slice(0, dot)), { key, dsaEncoding: "ieee-p1363" }, bytes);
}
