import type { GroupVersionKind, GroupVersionResource } from "@kubewright/apimachinery";
import {
  type AskAuthorizer,
  type AuthorizationCheck,
  type AuthorizationResult,
  CelAuthorizer,
  CelError,
  type CelProgram,
  CelResourceCheck,
  CelStruct,
  type CelValue,
  fromJson,
  perCallLimit,
} from "@kubewright/cel";
import type { AuthorizationAttributes, Authorizer } from "../../authorization/authorizer.ts";
import type { ReadonlyObject } from "../../registry/resource.ts";
import type { AdmissionAttributes } from "../admission.ts";
import { admissionRequest, shownObject } from "../admission-request.ts";
import type { Compiled } from "./expression-scope.ts";

/** A request in the form in which a policy's expressions receive it. */
export interface Subject {
  readonly attributes: AdmissionAttributes;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly object: ReadonlyObject | undefined;
  readonly oldObject: ReadonlyObject | undefined;
  readonly namespaceObject?: ReadonlyObject | undefined;
  readonly params?: ReadonlyObject | undefined;
}

export interface CompiledExpression {
  readonly expression: string;
  readonly compiled: Compiled;
}

export interface CompiledVariable extends CompiledExpression {
  readonly name: string;
}

/** Result of evaluating an expression: a value or an error. */
type Outcome = { readonly value: CelValue; readonly error?: undefined } | { readonly error: string };

/** Thrown if expressions exceed their shared cost budget. No further expressions are evaluated after that. */
export class OutOfBudget extends Error {
  override readonly name = "OutOfBudget";

  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

/** Evaluates a policy's expressions for a request. */
export class Evaluation {
  readonly #bindings: Record<string, CelValue | (() => CelValue)>;
  #budget = 0;

  constructor(subject: Subject, variables: readonly CompiledVariable[], ask: AskAuthorizer) {
    const { attributes, resource, kind, object, oldObject, namespaceObject, params } = subject;
    const { group, resource: plural } = attributes.resource;
    const { subresource, namespace, name } = attributes;
    const about = {
      group,
      resource: plural,
      ...(subresource === "" ? {} : { subresource }),
      ...(namespace === "" ? {} : { namespace }),
      ...(name === "" ? {} : { name }),
    };
    this.#bindings = {
      object: () => fromJson(shownObject(object, kind)),
      oldObject: () => fromJson(shownObject(oldObject, kind)),
      request: () => fromJson(admissionRequest(attributes, { resource, kind })),
      namespaceObject: () => fromJson(namespaceObject),
      params: () => fromJson(params),
      authorizer: () => new CelAuthorizer(ask),
      "authorizer.requestResource": () => new CelResourceCheck(ask, about),
      variables: this.#variables(variables),
    };
  }

  /** Sets a new cost budget, which all subsequent expressions share. */
  allow(budget: number): void {
    this.#budget = budget;
  }

  /** Evaluates an expression. @throws {OutOfBudget} if the expressions exceed their shared budget */
  evaluate({ expression, compiled }: CompiledExpression): Outcome {
    if (compiled.program === undefined) return { error: `compilation error: ${compiled.error}` };
    const result = this.#run(compiled.program);
    return result instanceof CelError
      ? { error: `expression '${expression}' resulted in error: ${result.message}` }
      : { value: result };
  }

  #run(program: CelProgram): CelValue {
    const { value, cost } = program.evaluate(this.#bindings, { costLimit: perCallLimit });
    if (cost > this.#budget) throw new OutOfBudget();
    this.#budget -= cost;
    return value;
  }

  /** Returns the value of `variables`. Each variable is evaluated when an expression first uses it. */
  #variables(variables: readonly CompiledVariable[]): CelStruct {
    const byName = new Map(variables.map((variable) => [variable.name, variable]));
    const known = new Map<string, CelValue>();
    const find = (name: string): CelValue | undefined => {
      const variable = byName.get(name);
      if (!variable) return undefined;
      let value = known.get(name);
      if (value === undefined) {
        value = this.#valueOf(variable);
        known.set(name, value);
      }
      return value;
    };
    return new CelStruct("kubernetes.variables", { find, fields: () => byName.keys() });
  }

  #valueOf({ name, compiled }: CompiledVariable): CelValue {
    if (compiled.program === undefined)
      return new CelError(`composited variable "${name}" fails to compile: ${compiled.error}`);
    const value = this.#run(compiled.program);
    return value instanceof CelError
      ? new CelError(`composited variable "${name}" fails to evaluate: ${value.message}`)
      : value;
  }
}

/** Wraps the server's authorizer for use in expressions. */
export function authorizationOf(
  authorize: Authorizer,
  attributes: AdmissionAttributes,
): (check: AuthorizationCheck) => Promise<AuthorizationResult> {
  return async ({ serviceAccount, verb, path, ...about }) => {
    const user = serviceAccount
      ? {
          name: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
          groups: [
            "system:serviceaccounts",
            `system:serviceaccounts:${serviceAccount.namespace}`,
            "system:authenticated",
          ],
        }
      : attributes.user;
    const asked: AuthorizationAttributes = {
      user,
      verb,
      isResourceRequest: path === undefined,
      path: path ?? "",
      group: about.group ?? "",
      version: "*",
      resource: about.resource ?? "",
      subresource: about.subresource ?? "",
      namespace: about.namespace ?? "",
      name: about.name ?? "",
    };
    try {
      const { decision, reason = "" } = await authorize(asked);
      return { allowed: decision === "allow", reason };
    } catch (error) {
      return { allowed: false, reason: "", error: error instanceof Error ? error.message : String(error) };
    }
  };
}
