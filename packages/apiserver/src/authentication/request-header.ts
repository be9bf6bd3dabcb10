import { ownMember, setOwnMember } from "@kubewright/apimachinery";
import { commonNameOf } from "@kubewright/certificates";
import { systemClock } from "@kubewright/clock";
import type { RequestMessage } from "../http/messages.ts";
import type { Authenticator } from "./authenticator.ts";
import { CertificateError, type CertificatePool } from "./certificate-pool.ts";
import { ChainJudge, type PeerChain, peerChain } from "./peer-chain.ts";

/** Options for a front proxy that passes the user in request headers. */
export interface RequestHeaderOptions {
  /** CAs that verify the front proxy's certificate. */
  readonly pool: CertificatePool;
  /** Permitted common names of the front proxy. If empty, any name is permitted. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeadersPrefix: readonly string[];
  readonly audiences: readonly string[];
  /** Returns the wall clock time in milliseconds since 1970. */
  readonly nowMs?: (() => number) | undefined;
}

/**
 * Returns a method that reads a request's user from headers sent by a front proxy. The proxy must identify itself with
 * a certificate.
 *
 * @see apiserver pkg/authentication/request/headerrequest
 */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const judge = new ChainJudge(options.pool, options.nowMs ?? systemClock.now);
  return (request) => {
    const chain = peerChain(request);
    if (!chain) return undefined;
    judge.check(chain);
    checkName(options, chain);
    const headers = repeatedHeaders(request);
    const name = firstOf(headers, options.usernameHeaders);
    if (name === undefined) return undefined;
    const uid = firstOf(headers, options.uidHeaders);
    const groups = options.groupHeaders.flatMap((header) => headers.get(header.toLowerCase()) ?? []);
    const extra = extraOf(headers, options.extraHeadersPrefix);
    return {
      user: {
        name,
        ...(uid ? { uid } : {}),
        groups: groups.filter((group) => group !== ""),
        ...(Object.keys(extra).length > 0 ? { extra } : {}),
      },
      audiences: options.audiences,
    };
  };
}

function checkName({ allowedNames }: RequestHeaderOptions, { leaf }: PeerChain): void {
  if (allowedNames.length === 0) return;
  const name = commonNameOf(leaf);
  if (!allowedNames.includes(name))
    throw new CertificateError(`x509: subject with cn=${name} is not in the allowed list`);
}

/**
 * Returns all values of all headers, keyed by lower-case name. Reads the raw list of headers, because Node joins
 * repeated headers.
 */
export function repeatedHeaders({ rawHeaders }: Pick<RequestMessage, "rawHeaders">): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    const values = found.get(name);
    if (values) values.push(rawHeaders[i + 1] ?? "");
    else found.set(name, [rawHeaders[i + 1] ?? ""]);
  }
  return found;
}

/**
 * Returns the user's extra attributes: the values of all headers with one of the prefixes. The key of an attribute is
 * the rest of the header's name, unescaped.
 */
export function extraOf(
  headers: ReadonlyMap<string, readonly string[]>,
  prefixes: readonly string[],
): Record<string, readonly string[]> {
  const extra: Record<string, string[]> = {};
  for (const prefix of prefixes.map((name) => name.toLowerCase()))
    for (const [name, values] of headers) {
      if (!name.startsWith(prefix)) continue;
      const key = unescaped(name.slice(prefix.length));
      const known = ownMember(extra, key);
      if (!known) setOwnMember(extra, key, [...values]);
      else for (const value of values) known.push(value);
    }
  return extra;
}

function firstOf(headers: ReadonlyMap<string, readonly string[]>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const [value] = headers.get(name.toLowerCase()) ?? [];
    if (value) return value;
  }
  return undefined;
}

/** Unescapes a key as in URLs. Returns a malformed key unchanged. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
