import { StorageError } from "../contract/storage-error.ts";

/** Describes the next page of a list: the listed state, and the key at which the page starts. */
export interface ContinueToken {
  /** Resource version of the listed state; -1 means the newest state. */
  readonly resourceVersion: number;
  /** Key at which the page starts, relative to the collection. */
  readonly startKey: string;
}

/** Encodes a continue token. @see apiserver pkg/storage EncodeContinue */
export function encodeContinue(token: ContinueToken): string {
  return Buffer.from(
    JSON.stringify({ v: "meta.k8s.io/v1", rv: token.resourceVersion, start: token.startKey }),
  ).toString("base64url");
}

/**
 * Decodes a continue token.
 *
 * @throws {StorageError} `InvalidContinueToken` if the text is not a valid token
 * @see apiserver pkg/storage DecodeContinue
 */
export function decodeContinue(text: string): ContinueToken {
  const parsed = parse(text);
  if (parsed.v !== "meta.k8s.io/v1") throw invalid(`server does not recognize this encoded version ${parsed.v ?? ""}`);
  const { rv, start } = parsed;
  if (typeof rv !== "number" || rv === 0)
    throw invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "") throw invalid("encoded start key empty (version meta.k8s.io/v1)");
  if (/\/\.{0,2}(\/|$)/.test(start.startsWith("/") ? start : `/${start}`)) throw invalid(start);
  return { resourceVersion: rv, startKey: start };
}

function parse(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) throw invalid("illegal base64 data");
  const bytes = Buffer.from(text, "base64url");
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    throw invalid("not valid JSON");
  }
}

const invalid = (why: string): StorageError =>
  new StorageError("InvalidContinueToken", "", `continue key is not valid: ${why}`);
