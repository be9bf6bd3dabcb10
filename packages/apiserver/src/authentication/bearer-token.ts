import type { RequestMessage } from "../http/messages.ts";
import { AuthenticationErrors, type Authenticator, afterValue, firstKnown, type Identity } from "./authenticator.ts";
import type { RequestUser } from "./user/user-info.ts";

/**
 * Authenticates one kind of token. Returns `undefined` if the token is not of this kind.
 *
 * @param audiences accepted audiences; the token must be valid for at least one of them
 *
 * @throws {Error} if the token is of this kind but not valid
 * @see apiserver pkg/authentication/authenticator Token
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
) => Promise<Identity | undefined> | Identity | undefined;

/**
 * Combines authenticators for several kinds of token. The first one that accepts the token determines the identity.
 *
 * @see apiserver pkg/authentication/token/union
 */
export function unionTokenAuthenticator(kinds: readonly TokenAuthenticator[]): TokenAuthenticator {
  return (token, audiences) => firstKnown(kinds, (kind) => kind(token, audiences));
}

/**
 * Wraps a token authenticator that does not support audiences, so that its tokens are valid for the server's audiences.
 *
 * @see apiserver authenticator WrapAudienceAgnosticToken
 */
export function forServerAudiences(kind: TokenAuthenticator, apiAudiences: readonly string[]): TokenAuthenticator {
  return (token, wanted) => {
    const audiences = apiAudiences.filter((audience) => wanted.includes(audience));
    if (audiences.length === 0) return undefined;
    return afterValue(kind(token, wanted), (identity) => identity && { ...identity, audiences });
  };
}

/**
 * Returns the error for an invalid token. Its message is always the same, followed by the error from the token
 * authenticators, if any.
 */
export function invalidToken(error?: unknown): Error {
  return new AuthenticationErrors([new Error("invalid bearer token"), ...(error === undefined ? [] : [error])]);
}

/**
 * Returns a method that authenticates requests with the token in the header `Authorization: Bearer`. Rejects unknown
 * tokens: a client that sends a token is never treated as anonymous.
 *
 * @see apiserver pkg/authentication/request/bearertoken
 */
export function bearerTokenAuthenticator(kind: TokenAuthenticator, audiences: readonly string[]): Authenticator {
  return ({ headers }) => {
    const [scheme = "", token = ""] = (headers.authorization ?? "").trim().split(" ");
    if (scheme.toLowerCase() !== "bearer" || token === "") return undefined;
    return afterValue(kind(token, audiences), (identity) => {
      if (!identity) throw invalidToken();
      return identity;
    });
  };
}

/**
 * Returns the warning for a request whose token is malformed and therefore ignored, or `undefined` for all other
 * requests.
 */
export function bearerTokenWarning({ headers }: RequestMessage): string | undefined {
  if (!headers.authorization?.includes("  ")) return undefined;
  const [scheme = "", token, ...rest] = headers.authorization.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer" || token !== "" || rest.length === 0) return undefined;
  return "the provided Authorization header contains extra space before the bearer token, and is ignored";
}

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

/**
 * Returns a method that authenticates bearer tokens passed as a WebSocket subprotocol, because browsers cannot set any
 * other header for a WebSocket.
 *
 * @see apiserver pkg/authentication/request/websocket
 */
export function webSocketTokenAuthenticator(kind: TokenAuthenticator, audiences: readonly string[]): Authenticator {
  return async ({ headers }) => {
    const upgrades = /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? "");
    if (!upgrades || headers.upgrade?.toLowerCase() !== "websocket") return undefined;
    const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
    const encoded = protocols.filter((name) => name.startsWith(protocolPrefix));
    const [first] = encoded;
    if (first === undefined) return undefined;
    if (encoded.length > 1) throw new Error("multiple base64.bearer.authorization tokens specified");
    const text = first.slice(protocolPrefix.length);
    if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new Error("invalid base64.bearer.authorization token encoding");
    if (protocols.length === encoded.length) throw new Error("missing additional subprotocol");
    const identity = await kind(Buffer.from(text, "base64url").toString("utf8"), audiences);
    if (!identity) throw invalidToken();
    return identity;
  };
}

/** Tokens that are registered explicitly. */
export class StaticTokens {
  readonly #users = new Map<string, RequestUser>();

  /** Registers a token for a user. */
  add(token: string, user: RequestUser): void {
    this.#users.set(token, user);
  }

  readonly authenticate: TokenAuthenticator = (token) => {
    const user = this.#users.get(token);
    return user && { user };
  };
}
