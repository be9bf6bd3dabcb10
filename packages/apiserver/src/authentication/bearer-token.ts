import { unauthorized } from "@kubewright/apimachinery";
import type { UserInfo } from "../registry/strategy.ts";
import type { Authenticator } from "./authenticator.ts";

/**
 * Says whose token it is. `undefined`: not a token of this kind.
 *
 * @see apiserver pkg/authentication/authenticator Token
 */
export type TokenAuthenticator = (token: string) => Promise<UserInfo | undefined> | UserInfo | undefined;

/** Users by `Authorization: Bearer …`. A token that nobody knows is refused: such a client is never anonymous. */
export function bearerTokenAuthenticator(kinds: readonly TokenAuthenticator[]): Authenticator {
  return async (request) => {
    const [scheme, token] = (request.headers.authorization ?? "").trim().split(/\s+/);
    if (scheme?.toLowerCase() !== "bearer" || !token) return undefined;
    for (const kind of kinds) {
      const user = await kind(token);
      if (user) return user;
    }
    throw unauthorized();
  };
}

/** Tokens that were handed out by hand. */
export class StaticTokens {
  readonly #users = new Map<string, UserInfo>();

  add(token: string, user: UserInfo): void {
    this.#users.set(token, user);
  }

  readonly authenticate: TokenAuthenticator = (token) => this.#users.get(token);
}
