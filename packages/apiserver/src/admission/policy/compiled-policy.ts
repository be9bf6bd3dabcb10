import { celType } from "@kubewright/cel";
import type { CompiledExpression, CompiledVariable } from "./evaluation.ts";
import { ExpressionScope, patchTypes } from "./expression-scope.ts";
import type { AdmissionPolicy, Validation } from "./policy-types.ts";

export interface CompiledValidation extends CompiledExpression {
  readonly validation: Validation;
  readonly messageExpression: CompiledExpression | undefined;
}

interface CompiledAnnotation extends CompiledExpression {
  readonly key: string;
}

export interface CompiledMutation extends CompiledExpression {
  readonly type: keyof typeof patchTypes;
}

/** A policy with its compiled expressions. */
export interface CompiledPolicy {
  readonly policy: AdmissionPolicy;
  readonly failurePolicy: string;
  readonly conditions: readonly CompiledExpression[];
  readonly variables: readonly CompiledVariable[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledAnnotation[];
  readonly mutations: readonly CompiledMutation[];
}

const known = new WeakMap<AdmissionPolicy, CompiledPolicy>();

/** Compiles a policy's expressions. The result is cached per stored object, because stored objects never change. */
export function compiledPolicy(policy: AdmissionPolicy): CompiledPolicy {
  let compiled = known.get(policy);
  if (!compiled) {
    compiled = compile(policy);
    known.set(policy, compiled);
  }
  return compiled;
}

function compile(policy: AdmissionPolicy): CompiledPolicy {
  const { spec = {} } = policy;
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [], mutations = [] } = spec;
  const params = spec.paramKind !== undefined;
  const mutation = mutations.length > 0;
  const conditionScope = new ExpressionScope({ params, authorizer: true });
  const scope = new ExpressionScope({ params, authorizer: true, mutation });
  const compiledVariables = variables.map(({ name = "", expression = "" }) => {
    const compiled = scope.compile(expression);
    scope.addVariable(name, compiled.program?.outputType ?? celType.dyn);
    return { name, expression, compiled };
  });
  const compileText = (expression: string): CompiledExpression => ({
    expression,
    compiled: scope.compile(expression, [celType.string]),
  });
  return {
    policy,
    failurePolicy: spec.failurePolicy ?? "Fail",
    conditions: matchConditions.map(({ expression = "" }) => ({
      expression,
      compiled: conditionScope.compile(expression, [celType.bool]),
    })),
    variables: compiledVariables,
    validations: validations.map((validation) => ({
      validation,
      expression: validation.expression ?? "",
      compiled: scope.compile(validation.expression ?? "", [celType.bool]),
      messageExpression: validation.messageExpression ? compileText(validation.messageExpression) : undefined,
    })),
    annotations: auditAnnotations.map(({ key = "", valueExpression: expression = "" }) => ({
      key,
      expression,
      compiled: scope.compile(expression, [celType.string, celType.null]),
    })),
    mutations: mutations.map(({ applyConfiguration, jsonPatch }) => {
      const type = applyConfiguration ? "applyConfiguration" : "jsonPatch";
      const expression = (applyConfiguration ?? jsonPatch)?.expression ?? "";
      return { type, expression, compiled: scope.compile(expression, [patchTypes[type]]) };
    }),
  };
}
