import { unauthorized } from "@kubewright/apimachinery";
import type { RequestMessage } from "../http/messages.ts";
import type { UserInfo } from "./user/user-info.ts";

/** Who it is, and for which of the wanted audiences that holds. */
export interface Identity {
  readonly user: UserInfo;
  /** Absent where the method knows no audiences: then it holds for all. */
  readonly audiences?: readonly string[];
  /** Told to the client. */
  readonly warnings?: readonly string[];
}

/**
 * Says who sent a request. `undefined`: this method sees no credential of its kind.
 *
 * @throws {Error} where there is a credential and it is bad
 * @see apiserver pkg/authentication/authenticator Request
 */
export type Authenticator = (request: RequestMessage) => Promise<Identity | undefined> | Identity | undefined;

/** Several methods failed, each for a reason of its own. The message names each reason once. */
export class AuthenticationErrors extends Error {
  override readonly name = "AuthenticationErrors";
  readonly reasons: readonly string[];

  constructor(errors: readonly unknown[]) {
    const reasons = [...new Set(errors.flatMap(reasonsOf))];
    super(reasons.length === 1 ? reasons[0] : `[${reasons.join(", ")}]`);
    this.reasons = reasons;
  }
}

const reasonsOf = (error: unknown): readonly string[] =>
  error instanceof AuthenticationErrors ? error.reasons : [error instanceof Error ? error.message : String(error)];

/**
 * The first method that recognises the request wins; one that fails does not keep the others from it.
 *
 * @see apiserver pkg/authentication/request/union
 */
export function unionAuthenticator(methods: readonly Authenticator[]): Authenticator {
  return (request) => firstKnown(methods, (method) => method(request));
}

/**
 * Asks one after another until one knows the answer. Where nobody has to wait for it, neither has the caller.
 *
 * @throws {AuthenticationErrors} where none knows and some failed
 */
export function firstKnown<Method, Known>(
  methods: readonly Method[],
  ask: (method: Method) => Promise<Known | undefined> | Known | undefined,
): Promise<Known | undefined> | Known | undefined {
  const errors: unknown[] = [];
  for (let index = 0; index < methods.length; index++) {
    try {
      const known = ask(methods[index] as Method);
      if (known instanceof Promise) return firstOfRest(known, methods.slice(index + 1), ask, errors);
      if (known !== undefined) return known;
    } catch (error) {
      errors.push(error);
    }
  }
  return unknownAfter(errors);
}

async function firstOfRest<Method, Known>(
  first: Promise<Known | undefined>,
  rest: readonly Method[],
  ask: (method: Method) => Promise<Known | undefined> | Known | undefined,
  errors: unknown[],
): Promise<Known | undefined> {
  let asked: Promise<Known | undefined> | Known | undefined = first;
  for (let index = 0; ; index++) {
    try {
      const known: Known | undefined = await asked;
      if (known !== undefined) return known;
    } catch (error) {
      errors.push(error);
    }
    if (index >= rest.length) return unknownAfter(errors);
    asked = answerOf(() => ask(rest[index] as Method));
  }
}

/** What is thrown is a refusal like any other. */
async function answerOf<Known>(ask: () => Promise<Known> | Known): Promise<Known> {
  return ask();
}

function unknownAfter(errors: readonly unknown[]): undefined {
  if (errors.length > 0) throw new AuthenticationErrors(errors);
  return undefined;
}

/** Goes on at once where the value is there. */
export function whenThere<Value, Result>(
  value: Promise<Value> | Value,
  next: (value: Value) => Promise<Result> | Result,
): Promise<Result> | Result {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Who shows no credential at all is anonymous, on these paths or on all. @see apiserver pkg/authentication/request/anonymous */
export function anonymousAuthenticator(paths?: readonly string[]): Authenticator {
  return ({ url = "/" }) => {
    if (paths && !paths.includes(url.split("?", 1)[0] ?? "")) return undefined;
    return { user: { name: "system:anonymous", groups: ["system:unauthenticated"] } };
  };
}

/** Adds the group of everybody who has shown a credential. @see apiserver pkg/authentication/group */
export function authenticated(method: Authenticator): Authenticator {
  return (request) =>
    whenThere(method(request), (identity) => {
      if (!identity) return undefined;
      const user = withGroupOfAuthenticated(identity.user);
      return user === identity.user ? identity : { ...identity, user };
    });
}

/** The user with the group `system:authenticated`; anonymous, or with it already, the same value as it is. */
export function withGroupOfAuthenticated(user: UserInfo): UserInfo {
  if (user.name === "system:anonymous" || user.groups.includes("system:authenticated")) return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}

/**
 * Refuses whoever is not known. A bad credential is never anonymous, so `anonymous` is asked only where there was none.
 *
 * @throws {StatusError} 401
 */
export function requiredIdentity(
  known: Authenticator,
  anonymous?: Authenticator,
): (request: RequestMessage) => Promise<Identity> | Identity {
  const ask: Authenticator = (request) => whenThere(known(request), (identity) => identity ?? anonymous?.(request));
  return (request) => {
    let found: ReturnType<Authenticator>;
    try {
      found = ask(request);
    } catch (error) {
      throw unauthorizedBy(error);
    }
    if (!(found instanceof Promise)) return required(found);
    return found.then(required, (error: unknown) => {
      throw unauthorizedBy(error);
    });
  };
}

function required(identity: Identity | undefined): Identity {
  if (!identity) throw unauthorized();
  return identity;
}

const unauthorizedBy = (cause: unknown): Error => Object.assign(unauthorized(), { cause });
