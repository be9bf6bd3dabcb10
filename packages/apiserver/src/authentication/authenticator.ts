import { unauthorized } from "@kubewright/apimachinery";
import type { RequestMessage } from "../http/messages.ts";
import type { RequestUser } from "./user/user-info.ts";

/** An authenticated user, and the requested audiences for which the credential is valid. */
export interface Identity {
  readonly user: RequestUser;
  /** Absent if the method does not support audiences, in which case the credential is valid for all of them. */
  readonly audiences?: readonly string[] | undefined;
  /** Warnings for the client. */
  readonly warnings?: readonly string[] | undefined;
}

/**
 * Authenticates a request. Returns `undefined` if the request has no credential that this method handles.
 *
 * @throws {Error} for an invalid credential
 *
 * @see apiserver pkg/authentication/authenticator Request
 */
export type Authenticator = (request: RequestMessage) => Promise<Identity | undefined> | Identity | undefined;

/** Errors of several methods. The message contains each error once. */
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
 * Returns the identity from the first method that succeeds. A method that fails does not prevent others from being tried.
 *
 * @see apiserver pkg/authentication/request/union
 */
export function unionAuthenticator(methods: readonly Authenticator[]): Authenticator {
  return (request) => firstKnown(methods, (method) => method(request));
}

/**
 * Calls one method after another until one returns a value. The result is synchronous if all calls are.
 *
 * @throws {AuthenticationErrors} if none returns a value and some fail
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
    asked = resultOf(() => ask(rest[index] as Method));
  }
}

/** Treats a thrown error like a rejection. */
async function resultOf<Known>(ask: () => Promise<Known> | Known): Promise<Known> {
  return ask();
}

function unknownAfter(errors: readonly unknown[]): undefined {
  if (errors.length > 0) throw new AuthenticationErrors(errors);
  return undefined;
}

/** Continues synchronously if the value is available. */
export function afterValue<Value, Result>(
  value: Promise<Value> | Value,
  next: (value: Value) => Promise<Result> | Result,
): Promise<Result> | Result {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Authenticates requests without credentials as anonymous, on these paths or on all.
 *
 * @see apiserver pkg/authentication/request/anonymous
 */
export function anonymousAuthenticator(paths?: readonly string[]): Authenticator {
  return ({ url = "/" }) => {
    if (paths && !paths.includes(url.split("?", 1)[0] ?? "")) return undefined;
    return { user: { name: "system:anonymous", groups: ["system:unauthenticated"] } };
  };
}

/** Adds the group of all authenticated users. @see apiserver pkg/authentication/group */
export function inAuthenticatedGroup(method: Authenticator): Authenticator {
  return (request) =>
    afterValue(method(request), (identity) => {
      if (!identity) return undefined;
      const user = withGroupOfAuthenticated(identity.user);
      return user === identity.user ? identity : { ...identity, user };
    });
}

/** Returns the user with the group `system:authenticated`; unchanged if anonymous or already a member. */
export function withGroupOfAuthenticated(user: RequestUser): RequestUser {
  if (user.name === "system:anonymous" || user.groups.includes("system:authenticated")) return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}

/**
 * Rejects unknown users. A request with an invalid credential is never anonymous, so `anonymous` is called only for requests without
 * credentials.
 *
 * @throws {StatusError} 401
 */
export function requiredIdentity(
  known: Authenticator,
  anonymous?: Authenticator,
): (request: RequestMessage) => Promise<Identity> | Identity {
  const ask: Authenticator = (request) => afterValue(known(request), (identity) => identity ?? anonymous?.(request));
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
