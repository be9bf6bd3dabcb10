import { unauthorized } from "@kubewright/apimachinery";
import type { RequestMessage } from "../http/messages.ts";
import type { RequestUser } from "./user/user-info.ts";

/** Result of authenticating a request: the user, and the requested audiences for which the credential is valid. */
export interface Identity {
  readonly user: RequestUser;
  /**
   * Requested audiences for which the credential is valid. Absent if the authentication method does not support audiences; the credential
   * is then valid for all of them.
   */
  readonly audiences?: readonly string[] | undefined;
  /** Warnings to send to the client. */
  readonly warnings?: readonly string[] | undefined;
}

/**
 * An authentication method. Returns the identity of a request's sender, or `undefined` if the request has no credential
 * that this method handles.
 *
 * @throws {Error} if the credential is not valid
 *
 * @see apiserver pkg/authentication/authenticator Request
 */
export type Authenticator = (request: RequestMessage) => Promise<Identity | undefined> | Identity | undefined;

/** Combines the errors from several authentication methods. The message contains each distinct error only once. */
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
 * Combines several authentication methods. The first one that succeeds determines the identity; if a method fails, the
 * next one is tried nevertheless.
 *
 * @see apiserver pkg/authentication/request/union
 */
export function unionAuthenticator(methods: readonly Authenticator[]): Authenticator {
  return (request) => firstKnown(methods, (method) => method(request));
}

/**
 * Calls the methods one after another until one of them returns a value. The result is available synchronously if all
 * calls are synchronous.
 *
 * @throws {AuthenticationErrors} if no method returns a value and at least one fails
 */
export function firstKnown<Method, Known>(
  methods: readonly Method[],
  ask: (method: Method) => Promise<Known | undefined> | Known | undefined,
): Promise<Known | undefined> | Known | undefined {
  const errors: unknown[] = [];
  for (const [index, method] of methods.entries()) {
    try {
      const known = ask(method);
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
  const known = async (call: () => Promise<Known | undefined> | Known | undefined): Promise<Known | undefined> => {
    try {
      return await call();
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  };
  for (const call of [() => first, ...rest.map((method) => () => ask(method))]) {
    const result = await known(call);
    if (result !== undefined) return result;
  }
  return unknownAfter(errors);
}

function unknownAfter(errors: readonly unknown[]): undefined {
  if (errors.length > 0) throw new AuthenticationErrors(errors);
  return undefined;
}

/** Passes a value to a function: synchronously if the value is available, otherwise once its promise is fulfilled. */
export function afterValue<Value, Result>(
  value: Promise<Value> | Value,
  next: (value: Value) => Promise<Result> | Result,
): Promise<Result> | Result {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Returns a method that authenticates requests without credentials as anonymous, for the given paths or for all paths.
 *
 * @see apiserver pkg/authentication/request/anonymous
 */
export function anonymousAuthenticator(paths?: readonly string[]): Authenticator {
  return ({ url = "/" }) => {
    if (paths && !paths.includes(url.split("?", 1)[0] ?? "")) return undefined;
    return { user: { name: "system:anonymous", groups: ["system:unauthenticated"] } };
  };
}

/** Wraps an authentication method so that its users are members of `system:authenticated`. @see apiserver pkg/authentication/group */
export function inAuthenticatedGroup(method: Authenticator): Authenticator {
  return (request) =>
    afterValue(method(request), (identity) => {
      if (!identity) return undefined;
      const user = withGroupOfAuthenticated(identity.user);
      return user === identity.user ? identity : { ...identity, user };
    });
}

/** Adds the group `system:authenticated` to a user, unless the user is anonymous or already a member. */
export function withGroupOfAuthenticated(user: RequestUser): RequestUser {
  if (user.name === "system:anonymous" || user.groups.includes("system:authenticated")) return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}

/**
 * Wraps an authentication method so that it rejects unknown users. A request with an invalid credential is not treated
 * as anonymous, so `anonymous` is called only for requests without credentials.
 *
 * @throws {StatusError} 401 from the returned function, if the user is unknown
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
