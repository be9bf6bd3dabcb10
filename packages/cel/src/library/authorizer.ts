import { isDns1123Label, isDns1123Subdomain } from "@kubewright/apimachinery";
import { asString } from "../values/arguments.ts";
import { type FunctionDeclaration, member } from "../values/declarations.ts";
import { CelError, CelNode, type CelValue, noSuchOverload } from "../values/value.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";

/** A permission check that an expression requests from the authorizer. */
export interface AuthorizationCheck {
  /** Service account to check instead of the request's user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
  readonly verb: string;
  /** A non-resource path. If it is set, the other fields are absent. */
  readonly path?: string | undefined;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/**
 * Result of an {@link AuthorizationCheck}. Expressions read it with `allowed()`, `reason()`, `errored()` and `error()`.
 */
export interface AuthorizationResult {
  readonly allowed: boolean;
  readonly reason: string;
  /** Error message if the authorizer could not decide. */
  readonly error?: string | undefined;
}

/**
 * Performs the `authorizer` checks in an expression. Synchronous, because expressions are evaluated synchronously. @see
 * apiserver pkg/cel/library Authz
 */
export type AskAuthorizer = (check: AuthorizationCheck) => AuthorizationResult;

/** A permission check whose verb the expression has not specified yet. */
export abstract class AuthorizationQuestion extends CelNode {
  readonly ask: AskAuthorizer;
  readonly about: Omit<AuthorizationCheck, "verb">;

  constructor(ask: AskAuthorizer, about: Omit<AuthorizationCheck, "verb"> = {}) {
    super();
    this.ask = ask;
    this.about = about;
  }

  equals(other: CelValue): boolean | CelError {
    return other === this || noSuchOverload();
  }
}

/** Value of the variable `authorizer`, which expressions use to check the permissions of the user who sent the request. */
export class CelAuthorizer extends AuthorizationQuestion {
  readonly type = kubernetesTypes.authorizer;
}

class GroupCheck extends AuthorizationQuestion {
  readonly type = kubernetesTypes.groupCheck;
}

/** A permission check for a non-resource path. */
class PathCheck extends AuthorizationQuestion {
  readonly type = kubernetesTypes.pathCheck;
}

/** A permission check for a resource. The value of `authorizer.requestResource` is also of this class. */
export class CelResourceCheck extends AuthorizationQuestion {
  readonly type = kubernetesTypes.resourceCheck;
}

class Decision extends CelNode {
  readonly type = kubernetesTypes.decision;
  readonly answer: AuthorizationResult;

  constructor(answer: AuthorizationResult) {
    super();
    this.answer = answer;
  }

  equals(other: CelValue): boolean | CelError {
    return other === this || noSuchOverload();
  }
}

function receiver<T extends CelNode>(value: CelValue | undefined, type: abstract new (...args: never[]) => T): T {
  if (value instanceof type) return value;
  throw new Error("an authorizer function was called on a value that is not an authorizer");
}

const authorizerOf = (value: CelValue | undefined): CelAuthorizer => receiver(value, CelAuthorizer);
const resourceOf = (value: CelValue | undefined): CelResourceCheck => receiver(value, CelResourceCheck);
const answerOf = (value: CelValue | undefined): AuthorizationResult => receiver(value, Decision).answer;

function serviceAccount({ ask }: CelAuthorizer, namespace: string, name: string): CelValue {
  if (isDns1123Subdomain(name).length > 0) return new CelError("Invalid service account name");
  if (isDns1123Label(namespace).length > 0) return new CelError("Invalid service account namespace");
  return new CelAuthorizer(ask, { serviceAccount: { namespace, name } });
}

const narrowed = (name: "subresource" | "namespace" | "name" | "fieldSelector" | "labelSelector", id: string) =>
  member(
    name,
    id,
    "kubernetes.authorization.ResourceCheck, string -> kubernetes.authorization.ResourceCheck",
    (value, text) => {
      const check = resourceOf(value);
      return new CelResourceCheck(check.ask, { ...check.about, [name]: asString(text) });
    },
  );

const prefix = "kubernetes.authorization.";

/** Functions for permission checks. @see apiserver pkg/cel/library/authz.go */
export const authorizer: readonly FunctionDeclaration[] = [
  member("path", "authorizer_path", `${prefix}Authorizer, string -> ${prefix}PathCheck`, (value, text) => {
    const { ask, about } = authorizerOf(value);
    const path = asString(text);
    return path.trim() === "" ? new CelError("path must not be empty") : new PathCheck(ask, { ...about, path });
  }),
  member("group", "authorizer_group", `${prefix}Authorizer, string -> ${prefix}GroupCheck`, (value, text) => {
    const { ask, about } = authorizerOf(value);
    return new GroupCheck(ask, { ...about, group: asString(text) });
  }),
  member(
    "serviceAccount",
    "authorizer_serviceaccount",
    `${prefix}Authorizer, string, string -> ${prefix}Authorizer`,
    (value, namespace, name) => serviceAccount(authorizerOf(value), asString(namespace), asString(name)),
  ),
  member("resource", "groupcheck_resource", `${prefix}GroupCheck, string -> ${prefix}ResourceCheck`, (value, text) => {
    const { ask, about } = receiver(value, GroupCheck);
    const resource = asString(text);
    return resource.trim() === ""
      ? new CelError("resource must not be empty")
      : new CelResourceCheck(ask, { ...about, resource });
  }),
  narrowed("subresource", "resourcecheck_subresource"),
  narrowed("namespace", "resourcecheck_namespace"),
  narrowed("name", "resourcecheck_name"),
  narrowed("fieldSelector", "authorizer_fieldselector"),
  narrowed("labelSelector", "authorizer_labelselector"),
  member("check", "pathcheck_check", `${prefix}PathCheck, string -> ${prefix}Decision`, (value, verb) => {
    const { ask, about } = receiver(value, PathCheck);
    return new Decision(ask({ ...about, verb: asString(verb) }));
  }),
  member("check", "resourcecheck_check", `${prefix}ResourceCheck, string -> ${prefix}Decision`, (value, verb) => {
    const { ask, about } = resourceOf(value);
    return new Decision(ask({ ...about, verb: asString(verb) }));
  }),
  member("errored", "decision_errored", `${prefix}Decision -> bool`, (value) => answerOf(value).error !== undefined),
  member("error", "decision_error", `${prefix}Decision -> string`, (value) => answerOf(value).error ?? ""),
  member("allowed", "decision_allowed", `${prefix}Decision -> bool`, (value) => answerOf(value).allowed),
  member("reason", "decision_reason", `${prefix}Decision -> string`, (value) => answerOf(value).reason),
];

class AuthorizationPending extends Error {
  override readonly name = "AuthorizationPending";
}

/**
 * Lets a synchronous evaluation use an asynchronous authorizer. If the evaluation needs a decision that has not arrived
 * yet, it is aborted and repeated once the decision has arrived. Each check is made only once.
 */
export async function withAuthorizer<T>(
  authorize: (check: AuthorizationCheck) => Promise<AuthorizationResult> | AuthorizationResult,
  evaluate: (ask: AskAuthorizer) => T,
): Promise<T> {
  const answers = new Map<string, AuthorizationResult>();
  let open: AuthorizationCheck | undefined;
  const ask: AskAuthorizer = (check) => {
    const answer = answers.get(JSON.stringify(check));
    if (answer) return answer;
    open = check;
    throw new AuthorizationPending("the authorizer has not responded yet");
  };
  for (;;) {
    try {
      return evaluate(ask);
    } catch (error) {
      if (!(error instanceof AuthorizationPending) || !open) throw error;
      answers.set(JSON.stringify(open), await authorize(open));
    }
  }
}
