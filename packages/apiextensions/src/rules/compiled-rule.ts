import type { DeclType } from "@kubewright/cel";
import { CelCompileError, CelEnvironment, type CelProgram, celType, declTypeOf, sizesOf } from "@kubewright/cel";
import { systemRandom } from "@kubewright/clock";
import type { JsonSchema, ValidationRule } from "../definition/definition.ts";
import { followFieldPath, InvalidFieldPath } from "../schema/rule-field-path.ts";

const maxRequestBytes = 3 * 1024 * 1024;

/** A compiled rule in a schema, or the error reported by the compiler. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** The compiled rule. Absent if the rule is empty or not valid. */
  readonly program?: CelProgram;
  readonly error?: string;
  readonly messageProgram?: CelProgram;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  /** Estimated maximum cost of one evaluation. */
  readonly maxCost: number;
  readonly messageMaxCost: number;
  /** Path at which violations are reported, relative to the validated value. */
  readonly fieldPath?: string;
}

/** The compiled rules of a schema node, and the node's type. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  readonly type: DeclType;
  /** Maximum number of values of this type in a request. */
  readonly maxCardinality: number;
}

/**
 * Compiles the rules of a schema node, but not those of nodes below it.
 *
 * @param base environment without variables
 * @returns `undefined` if the schema has no CEL type
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/cel Compile
 */
export function compileRules(
  schema: JsonSchema,
  isResourceRoot: boolean,
  base = CelEnvironment.base,
): CompiledRules | undefined {
  // the type name is random, so that rules cannot refer to it
  const type = declTypeOf(schema, isResourceRoot, `selfType${systemRandom.integer(1_000_000_000)}`);
  if (!type) return undefined;
  const rules = (schema["x-kubernetes-validations"] ?? []).map((rule) => compileRule(rule, schema, type, base));
  return { rules, type, maxCardinality: Math.floor(maxRequestBytes / (type.minSerializedSize + 1)) };
}

function environmentFor(base: CelEnvironment, type: DeclType, isOptional: boolean): CelEnvironment {
  const oldSelf = isOptional ? celType.optional(type.type) : type.type;
  return base.extend({ variables: { self: type.type, oldSelf }, types: [type] });
}

function compileRule(rule: ValidationRule, schema: JsonSchema, type: DeclType, base: CelEnvironment): CompiledRule {
  const nothing = { rule, usesOldSelf: false, maxCost: 0, messageMaxCost: 0 };
  if ((rule.rule ?? "").trim() === "") return nothing;
  const environment = environmentFor(base, type, rule.optionalOldSelf ?? false);
  const compiled = compile(environment, rule.rule, "bool");
  if ("problem" in compiled)
    return {
      ...nothing,
      usesOldSelf: compiled.usesOldSelf,
      error: compiled.problem ?? "cel expression must evaluate to a bool",
    };
  const { program } = compiled;
  const result = {
    rule,
    program,
    usesOldSelf: program.variables.has("oldSelf"),
    maxCost: program.estimateCost(sizesOf(type)).max,
    messageMaxCost: 0,
  };
  const message = rule.messageExpression ? compile(environment, rule.messageExpression, "string") : undefined;
  if (message && "problem" in message) {
    const text = message.problem
      ? `messageExpression ${message.problem.replace(/^program /, "")}`
      : "messageExpression must evaluate to a string";
    return { ...result, messageError: text };
  }
  return {
    ...result,
    ...(message
      ? { messageProgram: message.program, messageMaxCost: message.program.estimateCost(sizesOf(type)).max }
      : {}),
    ...fieldPathOf(rule, schema),
  };
}

type Compiled =
  | { readonly program: CelProgram }
  | { readonly problem: string | undefined; readonly usesOldSelf: boolean };

/**
 * Compiles an expression. If that fails, the result contains a `problem`: the compiler's error, or `undefined` if the expression
 * compiles but has a type other than `wanted`.
 */
function compile(environment: CelEnvironment, expression: string, wanted: "bool" | "string"): Compiled {
  try {
    const program = environment.compile(expression);
    const usesOldSelf = program.variables.has("oldSelf");
    if (program.outputType.kind !== wanted) return { problem: undefined, usesOldSelf: false };
    return program.instantiationError === undefined
      ? { program }
      : { problem: `program instantiation failed: ${program.instantiationError}`, usesOldSelf };
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return { problem: `compilation failed: ${error.message}`, usesOldSelf: false };
  }
}

function fieldPathOf({ fieldPath }: ValidationRule, schema: JsonSchema): { fieldPath?: string } {
  if (!fieldPath) return {};
  try {
    return { fieldPath: followFieldPath(fieldPath, schema).path.toString() };
  } catch (error) {
    if (error instanceof InvalidFieldPath) return {};
    throw error;
  }
}
