import {
  CelEnvironment,
  type CelProgram,
  celType,
  formatType,
  fromJson,
  isError,
  isSameType,
  objectType,
  plainType,
  toJson,
} from "@kubewright/cel";
import type { RequestUser } from "../user/user-info.ts";

type Claims = Readonly<Record<string, unknown>>;

const text = plainType(celType.string);
const texts = plainType(celType.list(celType.string), text);
const userType = objectType("kubernetes.UserInfo", {
  username: text,
  uid: text,
  groups: texts,
  extra: plainType(celType.map(celType.string, celType.list(celType.string)), texts),
});

const environments = {
  claims: () => CelEnvironment.base.extend({ variables: { claims: celType.map(celType.string, celType.dyn) } }),
  user: () => CelEnvironment.base.extend({ variables: { user: userType.type }, types: [userType] }),
} as const;

/** Compiles a CEL expression over a token's claims. @throws {Error} with kube-apiserver's message if the expression is not valid */
export const compileClaimMapping = (expression: string): CelProgram => compile(expression, "claims");

/** Compiles a CEL expression over a token's claims. The expression must return a boolean. */
export const compileClaimRule = (expression: string): CelProgram => mustBeBoolean(compile(expression, "claims"));

/** Compiles a CEL expression over the user that the claims define. The expression must return a boolean. */
export const compileUserRule = (expression: string): CelProgram => mustBeBoolean(compile(expression, "user"));

function compile(expression: string, about: keyof typeof environments): CelProgram {
  try {
    return environments[about]().compile(expression);
  } catch (cause) {
    throw new Error(`compilation failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function mustBeBoolean(program: CelProgram): CelProgram {
  if (!isSameType(program.outputType, celType.bool)) throw new Error(`must evaluate to ${formatType(celType.bool)}`);
  return program;
}

/** Evaluates an expression over a token's claims. @throws {Error} if the evaluation fails */
export function evaluateClaims(program: CelProgram, claims: Claims): unknown {
  return evaluate(program, { claims: fromJson(claims) });
}

/** Evaluates an expression over a user. @throws {Error} if the evaluation fails */
export function evaluateUser(program: CelProgram, { name, uid = "", groups, extra = {} }: RequestUser): unknown {
  return evaluate(program, { user: fromJson({ username: name, uid, groups, extra }, userType) });
}

function evaluate(program: CelProgram, variables: Parameters<CelProgram["evaluate"]>[0]): unknown {
  const { value } = program.evaluate(variables);
  if (isError(value)) throw new Error(`expression '${program.expression}' resulted in error: ${value.message}`);
  return toJson(value);
}

/** Returns an expression's result as a list of strings. @throws {Error} if the result has a different type */
export function textsOf(value: unknown): string[] {
  const list = value === null ? [] : Array.isArray(value) ? value : [value];
  if (!list.every((one) => typeof one === "string"))
    throw new Error("expression must return a string or a list of strings");
  return list.filter((one) => one !== "");
}
