import {
  type FieldError,
  type FieldPath,
  fieldError,
  isRecord,
  jsonEqual,
  omittedValue,
  ownMember,
  quote,
} from "@kubewright/apimachinery";
import type { Bindings } from "@kubewright/cel";
import { CelError, CelOptional, type CelProgram, fromJson, perCallLimit, runtimeCostBudget } from "@kubewright/cel";
import type { JsonSchema, ValidationRule } from "../definition/definition.ts";
import { itemIdentity } from "../values/item-identity.ts";
import { type CompiledRule, type CompiledRules, compileRules } from "./compiled-rule.ts";

const maxMessageBytes = 5 * 1024;
const exceeded = "operation cancelled: actual cost limit exceeded";

/** Results of evaluating rules: errors, and violations that cause only warnings because the value has not changed. */
interface RuleFindings {
  readonly errors: FieldError[];
  readonly warnings: FieldError[];
}

/** Error for an exhausted cost budget. After this error, no further rules are evaluated. */
class OutOfBudget extends Error {
  override readonly name = "OutOfBudget";
}

/** Relation between the new value at a path and the corresponding old value. */
interface Correlation {
  readonly isKnown: boolean;
  /**
   * Reports whether the value is unchanged. If the value has no old value, the nearest parent that has one determines
   * the result.
   */
  isUnchanged(): boolean;
}

/**
 * Validates values against the rules in a schema and all schemas below it.
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/cel Validator
 */
export class RuleValidator {
  readonly #schema: JsonSchema;
  readonly #rules: CompiledRules | undefined;
  readonly #items: RuleValidator | undefined;
  readonly #extra: RuleValidator | undefined;
  readonly #properties: ReadonlyMap<string, RuleValidator>;

  private constructor(schema: JsonSchema, isResourceRoot: boolean) {
    this.#schema = schema;
    const below = (inner: JsonSchema | boolean | undefined): RuleValidator | undefined =>
      typeof inner === "object" && hasRules(inner)
        ? new RuleValidator(inner, inner["x-kubernetes-embedded-resource"] ?? false)
        : undefined;
    const own = schema["x-kubernetes-validations"] ?? [];
    this.#rules = own.length > 0 ? compileRules(schema, isResourceRoot) : undefined;
    this.#items = below(schema.items);
    this.#extra = below(schema.additionalProperties);
    this.#properties = new Map(
      Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
        const validator = below(property);
        return validator ? [[name, validator] as const] : [];
      }),
    );
  }

  /** Returns a validator for a schema, or `undefined` if the schema has no rules. */
  static of(schema: JsonSchema, isResourceRoot: boolean): RuleValidator | undefined {
    return hasRules(schema) ? new RuleValidator(schema, isResourceRoot) : undefined;
  }

  /** Evaluates all rules for a value. @param old the value being replaced; without it, rules that use `oldSelf` are not evaluated */
  validate(value: unknown, old: unknown, path: FieldPath, ratchets = old !== undefined): RuleFindings {
    const findings: RuleFindings = { errors: [], warnings: [] };
    const budget = { left: runtimeCostBudget };
    const none: Correlation = { isKnown: false, isUnchanged: () => false };
    const correlation = ratchets ? correlated(value, old) : none;
    try {
      this.#visit({ value, old, path, correlation, isRoot: true }, budget, findings);
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
    }
    return findings;
  }

  #visit(at: Place, budget: Budget, findings: RuleFindings): void {
    const { value } = at;
    if (value === null || value === undefined) return;
    if (this.#rules) this.#evaluateRules(this.#rules, at, budget, findings);
    if (Array.isArray(value)) this.#visitItems(value, at, budget, findings);
    else if (isRecord(value)) this.#visitMembers(value, at, budget, findings);
  }

  #visitItems(items: readonly unknown[], at: Place, budget: Budget, findings: RuleFindings): void {
    if (!this.#items) return;
    const oldItemOf = this.#oldItems(at.old);
    for (const [i, item] of items.entries()) {
      const old = oldItemOf(item);
      const correlation = old === undefined ? uncorrelated(at.correlation) : correlated(item, old);
      this.#items.#visit({ value: item, old, path: at.path.index(i), correlation }, budget, findings);
    }
  }

  /**
   * Returns a function that finds the old item with the same keys as a new item. Items of lists without keys have no corresponding old
   * item.
   */
  #oldItems(old: unknown): (item: unknown) => unknown {
    const { items, "x-kubernetes-list-map-keys": keys, "x-kubernetes-list-type": type } = this.#schema;
    if (!keys || type !== "map" || !Array.isArray(old)) return () => undefined;
    const read = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
      ownMember(record, key) ?? ownMember(items?.properties, key)?.default;
    const last = new Map<string, unknown>();
    for (const item of old) {
      const identity = itemIdentity(item, keys, read);
      if (identity !== undefined) last.set(identity, item);
    }
    return (item) => {
      const identity = itemIdentity(item, keys, read);
      return identity === undefined ? undefined : last.get(identity);
    };
  }

  #visitMembers(record: Readonly<Record<string, unknown>>, at: Place, budget: Budget, findings: RuleFindings): void {
    const oldRecord = isRecord(at.old) ? at.old : {};
    for (const [name, value] of Object.entries(record)) {
      const property = this.#properties.get(name);
      if (!property && !this.#extra) continue;
      const old = Object.hasOwn(oldRecord, name) ? oldRecord[name] : undefined;
      const place = (path: FieldPath): Place => ({
        value,
        old,
        path,
        correlation: memberCorrelation(at, name, value, old),
      });
      if (this.#extra) this.#extra.#visit(place(at.path.key(name)), budget, findings);
      if (property) property.#visit(place(at.path.child(name)), budget, findings);
    }
  }

  #evaluateRules({ rules, type }: CompiledRules, at: Place, budget: Budget, findings: RuleFindings): void {
    const { value, old, path } = at;
    const shown = this.#schema.type ?? "";
    if (budget.left <= 0) {
      findings.errors.push(fieldError.invalid(path, shown, outOfBudget));
      throw new OutOfBudget(outOfBudget);
    }
    const self = fromJson(value, type);
    const oldSelf = old === undefined || old === null ? undefined : fromJson(old, type);
    for (const compiled of rules) {
      const { rule, program, error } = compiled;
      const isOptional = rule.optionalOldSelf ?? false;
      if (error !== undefined) findings.errors.push(fieldError.invalid(path, shown, `rule compile error: ${error}`));
      if (!program || (compiled.usesOldSelf && oldSelf === undefined && !isOptional)) continue;
      const optional = oldSelf === undefined ? CelOptional.none : new CelOptional(oldSelf);
      const bindings: Bindings = {
        self,
        ...(isOptional ? { oldSelf: optional } : oldSelf === undefined ? {} : { oldSelf }),
      };
      this.#evaluate({ ...compiled, program }, bindings, at, budget, findings);
    }
  }

  #evaluate(
    compiled: CompiledRule & { readonly program: CelProgram },
    bindings: Bindings,
    { value, path, correlation }: Place,
    budget: Budget,
    findings: RuleFindings,
  ): void {
    const { rule, program } = compiled;
    const shown = this.#schema.type ?? "";
    const outcome = program.evaluate(bindings, { costLimit: perCallLimit });
    const fail = (text: string): void => {
      findings.errors.push(fieldError.invalid(path, shown, text));
    };
    if (outcome.cost > budget.left) {
      fail(outOfBudget);
      throw new OutOfBudget(outOfBudget);
    }
    budget.left -= outcome.cost;
    if (outcome.value instanceof CelError) {
      const { message } = outcome.value;
      if (message.startsWith(exceeded)) {
        fail(
          `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule)}`,
        );
        throw new OutOfBudget(message);
      }
      fail(
        message.startsWith("no such overload")
          ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`
          : `${message} evaluating rule: ${nameOf(rule)}`,
      );
      return;
    }
    if (outcome.value === true) return;
    const at = compiled.fieldPath === undefined ? path : path.child(compiled.fieldPath);
    const add = (found: FieldError): void => {
      const isOld = !compiled.usesOldSelf && correlation.isUnchanged();
      (isOld ? findings.warnings : findings.errors).push(found);
    };
    const message = messageOf(compiled, bindings, budget);
    if (message instanceof OutOfBudget) {
      add(fieldError.invalid(at, shown, message.message));
      throw message;
    }
    const isComposite = this.#schema.type === "object" || this.#schema.type === "array";
    add(errorFor(rule, at, isComposite ? omittedValue : value, message ?? defaultMessage(rule)));
  }
}

interface Budget {
  left: number;
}

interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: FieldPath;
  readonly correlation: Correlation;
  readonly isRoot?: boolean;
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

function correlated(value: unknown, old: unknown): Correlation {
  let isSame: boolean | undefined;
  return {
    isKnown: true,
    isUnchanged() {
      isSame ??= jsonEqual(value, old);
      return isSame;
    },
  };
}

/** Returns the correlation for a value that has no old value. The nearest parent decides whether the value counts as unchanged. */
const uncorrelated = (above: Correlation): Correlation => ({ isKnown: false, isUnchanged: () => above.isUnchanged() });

function memberCorrelation({ correlation, isRoot }: Place, name: string, value: unknown, old: unknown): Correlation {
  if (!correlation.isKnown) return correlation;
  if (isRoot && (name === "apiVersion" || name === "kind")) return { isKnown: false, isUnchanged: () => false };
  return old === undefined ? uncorrelated(correlation) : correlated(value, old);
}

/** Returns the result of a rule's message expression, or `undefined` if the rule has no message expression. */
function messageOf(
  { rule, messageProgram }: CompiledRule,
  bindings: Bindings,
  budget: Budget,
): string | undefined | OutOfBudget {
  if (!messageProgram) return undefined;
  const { value, cost } = messageProgram.evaluate(bindings, { costLimit: perCallLimit });
  if (cost > budget.left)
    return new OutOfBudget(
      "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    );
  if (value instanceof CelError && value.message.startsWith(exceeded))
    return new OutOfBudget(
      `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quote(rule.messageExpression ?? "")}`,
    );
  budget.left -= cost;
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" || text.includes("\n") || Buffer.byteLength(text) > maxMessageBytes ? undefined : text;
}

const nameOf = ({ rule, message }: ValidationRule): string => (message || rule).trim();

const defaultMessage = (rule: ValidationRule): string =>
  rule.message ? rule.message.trim() : `failed rule: ${nameOf(rule)}`;

function errorFor({ reason }: ValidationRule, path: FieldPath, value: unknown, detail: string): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return fieldError.forbidden(path, detail);
    case "FieldValueRequired":
      return fieldError.required(path, detail);
    case "FieldValueDuplicate":
      return fieldError.duplicate(path, value);
    default:
      return fieldError.invalid(path, value, detail);
  }
}

const knownRules = new WeakMap<JsonSchema, boolean>();

/** Reports whether a schema, or any schema below it, has rules. */
export function hasRules(schema: JsonSchema): boolean {
  let has = knownRules.get(schema);
  if (has === undefined) {
    has =
      (schema["x-kubernetes-validations"]?.length ?? 0) > 0 ||
      [schema.items, ...Object.values(schema.properties ?? {}), schema.additionalProperties].some(
        (inner) => typeof inner === "object" && hasRules(inner),
      );
    knownRules.set(schema, has);
  }
  return has;
}
