import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import type { JsonSchema, ValidationRule } from "../definition/definition.ts";
import { schemaSupportErrors } from "../schema/schema-support.ts";
import { type CompiledRule, compileRules } from "./compiled-rule.ts";

/** Maximum estimated cost of one rule. `definitionCostLimit` limits all rules of a schema together. */
const ruleCostLimit = 10_000_000;
const definitionCostLimit = 100_000_000;
const maxCost = 2 ** 64;

interface NodeContext {
  readonly schema: JsonSchema;
  readonly path: FieldPath;
  /** Maximum number of values at this node in one resource; `undefined` if the schema does not limit the number. */
  readonly cardinality: number | undefined;
  readonly isResourceRoot: boolean;
  /** The nearest parent list or map whose old and new items cannot be correlated. */
  readonly uncorrelatable?: FieldPath;
}

/**
 * Validates the rules in an otherwise valid schema. Returns an error for each rule that does not compile, costs too
 * much, or refers to an old value that cannot be determined.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema
 */
export function ruleDefinitionErrors(schema: JsonSchema, path: FieldPath): FieldError[] {
  const total = new TotalCost();
  const errors = nodeErrors({ schema, path, cardinality: 1, isResourceRoot: true }, total);
  return [...errors, ...total.errors(path)];
}

function nodeErrors(context: NodeContext, total: TotalCost): FieldError[] {
  const { schema } = context;
  const errors = childrenOf(context).flatMap((child) => nodeErrors(child, total));
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0 || schemaSupportErrors(schema, context.path).length > 0) return errors;
  return [...errors, ...rulesErrors(context, total)];
}

function childrenOf(context: NodeContext): NodeContext[] {
  const { schema, path } = context;
  const child = (inner: JsonSchema, at: FieldPath, isCorrelatable: boolean): NodeContext => {
    const uncorrelatable = isCorrelatable ? context.uncorrelatable : path;
    return {
      schema: inner,
      path: at,
      cardinality: multiplied(context.cardinality, maxElementsOf(schema)),
      isResourceRoot: inner["x-kubernetes-embedded-resource"] ?? false,
      ...(uncorrelatable ? { uncorrelatable } : {}),
    };
  };
  const extra = schema.additionalProperties;
  const mapType = schema["x-kubernetes-map-type"];
  const isMapCorrelatable = mapType === undefined || mapType === "granular" || mapType === "atomic";
  return [
    ...(typeof extra === "object" ? [child(extra, path.child("additionalProperties"), true)] : []),
    ...Object.entries(schema.properties ?? {}).map(([name, property]) =>
      child(property, path.child("properties").key(name), isMapCorrelatable),
    ),
    ...(schema.items ? [child(schema.items, path.child("items"), schema["x-kubernetes-list-type"] === "map")] : []),
  ];
}

function maxElementsOf(schema: JsonSchema): number | undefined {
  if (schema.type === "array") return schema.maxItems === undefined ? undefined : Math.max(schema.maxItems, 0);
  if (schema.type !== "object" || schema.additionalProperties === undefined) return 1;
  return schema.maxProperties === undefined ? undefined : Math.max(schema.maxProperties, 0);
}

const multiplied = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.min(a * b, maxCost);

function rulesErrors(context: NodeContext, total: TotalCost): FieldError[] {
  const { schema, path, isResourceRoot } = context;
  const at = path.child("x-kubernetes-validations");
  const compiled = compileRules(schema, isResourceRoot);
  if (!compiled)
    return [
      fieldError.internal(
        at,
        "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
      ),
    ];
  return compiled.rules.flatMap((rule, i) =>
    ruleErrors(rule, at.index(i), context, context.cardinality ?? compiled.maxCardinality, total),
  );
}

function ruleErrors(
  compiled: CompiledRule,
  path: FieldPath,
  { uncorrelatable }: NodeContext,
  cardinality: number,
  total: TotalCost,
): FieldError[] {
  const errors: FieldError[] = [];
  const { rule, error, messageError, messageMaxCost, usesOldSelf } = compiled;
  const cost = Math.min(compiled.maxCost * cardinality, maxCost);
  const [rulePath, messagePath] = [path.child("rule"), path.child("messageExpression")];
  if (cost > ruleCostLimit)
    errors.push(fieldError.forbidden(rulePath, excess("estimated rule cost", cost, ruleCostLimit)));
  total.add(rulePath, cost);
  if (error !== undefined) errors.push(fieldError.invalid(rulePath, printable(rule), error));
  if (messageError !== undefined) errors.push(fieldError.invalid(messagePath, printable(rule), messageError));
  else if (compiled.messageProgram) {
    if (messageMaxCost > ruleCostLimit)
      errors.push(
        fieldError.forbidden(messagePath, excess("estimated messageExpression cost", messageMaxCost, ruleCostLimit)),
      );
    total.add(messagePath, messageMaxCost);
  }
  if (usesOldSelf && uncorrelatable)
    errors.push(
      fieldError.invalid(
        rulePath,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
      ),
    );
  if (!usesOldSelf && rule.optionalOldSelf !== undefined)
    errors.push(
      fieldError.invalid(
        path.child("optionalOldSelf"),
        rule.optionalOldSelf,
        "may not be set if oldSelf is not used in rule",
      ),
    );
  return errors;
}

/**
 * Returns a rule in the form used in messages. The member names are Go names, because upstream's internal type has no
 * JSON names.
 */
const printable = (rule: ValidationRule): Readonly<Record<string, unknown>> => ({
  Rule: rule.rule,
  Message: rule.message ?? "",
  MessageExpression: rule.messageExpression ?? "",
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? "",
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

function excess(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Adds up the estimated cost of all rules, and records the rules that contribute most. */
class TotalCost {
  #total = 0;
  #most: { path: FieldPath; cost: number }[] = [];

  add(path: FieldPath, cost: number): void {
    this.#total = Math.min(this.#total + cost, maxCost);
    if (cost < definitionCostLimit / 100) return;
    this.#most = [...this.#most, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  errors(path: FieldPath): FieldError[] {
    if (this.#total <= definitionCostLimit) return [];
    const text = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const whole = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#most.map(({ path: at }) => fieldError.forbidden(at, text)),
      fieldError.forbidden(path, excess(whole, this.#total, definitionCostLimit)),
    ];
  }
}
