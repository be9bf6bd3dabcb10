import type { IncomingMessage } from "node:http";
import { unauthorized } from "@kubewright/apimachinery";
import type { UserInfo } from "../registry/strategy.ts";

/**
 * Says who sent a request. `undefined`: this method sees no credential of its kind.
 *
 * @throws {StatusError} 401 where there is a credential and it is bad
 * @see apiserver pkg/authentication/authenticator Request
 */
export type Authenticator = (request: IncomingMessage) => Promise<UserInfo | undefined> | UserInfo | undefined;

/** The first method that recognises the request wins; if none does the request is refused. */
export function unionAuthenticator(methods: readonly Authenticator[]): (request: IncomingMessage) => Promise<UserInfo> {
  return async (request) => {
    for (const method of methods) {
      const user = await method(request);
      if (user) return user;
    }
    throw unauthorized();
  };
}

/** Who nobody else knows is anonymous. */
export const anonymous: Authenticator = () => ({ name: "system:anonymous", groups: ["system:unauthenticated"] });

/** Adds the group of everybody who has shown a credential. */
export function authenticated(method: Authenticator): Authenticator {
  return async (request) => {
    const user = await method(request);
    if (!user || user.groups.includes("system:authenticated")) return user;
    return { ...user, groups: [...user.groups, "system:authenticated"] };
  };
}
