import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
/**
 * Kubernetes' expression language: `CelEnvironment.base` has the standard functions, macros and Kubernetes' libraries (lists, regex, URLs,
 * quantity, IP, CIDR, format, semver, strings, sets, optionals, authorizer, two-variable comprehensions).
 *
 * ```ts
 * const environment = CelEnvironment.base.extend({
 *   variables: { object: celType.dyn, oldObject: celType.dyn, request: requestType.type, params: celType.dyn },
 *   types: [requestType],               // DeclTypes, whose fields can be selected
 *   // structs: mutationTypes, functions: jsonPatch   // optional: `Object{...}`, `JSONPatch{...}` of mutating policies
 * });
 * const program = environment.compile("object.spec.replicas <= params.max"); // throws CelCompileError
 * if (!isSameType(program.outputType, celType.bool)) ...
 * const { value, cost } = program.evaluate({ object: fromJson(json), params: fromJson(params) });
 * // a failed evaluation is a value too: value instanceof CelError, value.message = "no such key: spec"
 * // variables may be functions `() => CelValue`, called once at first use (lazy `variables.x`)
 * ```
 *
 * `compile` throws {@link CelCompileError} with upstream's message (`ERROR: <input>:1:6: undefined field 'x'\n | self.x\n | .....^`); the
 * caller adds the prefix `compilation failed: `. `evaluate` stops at `costLimit` (default 1,000,000) with a CelError `operation cancelled:
 * actual cost limit exceeded`.
 *
 * Values: `fromJson(value, declType?)` converts JSON, and `toJson(value)` converts results. `declTypeOf` converts a structural schema to a
 * type. The variable `authorizer` is a `CelAuthorizer`; `withAuthorizer` supports asynchronous responses.
 *
 * This package has its own parser, checker, cost estimate and evaluation, so that users see upstream's messages, source positions and
 * costs, and errors are recovered from in the same way. JavaScript libraries provide none of these, and no parameterized types.
 */
import type { CheckedExpression } from "./check/checked-expression.ts";
import { checkExpression } from "./check/checker.ts";
import { checkLiterals } from "./check/literal-checks.ts";
import { type CostEstimate, estimateCost, type SizeOf } from "./cost/cost-estimate.ts";
import type { Bindings } from "./evaluation/frame.ts";
import { type Plan, planExpression } from "./evaluation/interpreter.ts";
import { cidr, ip } from "./library/addresses.ts";
import { arithmetic } from "./library/arithmetic.ts";
import { authorizer } from "./library/authorizer.ts";
import { comparison } from "./library/comparison.ts";
import { conversion } from "./library/conversion.ts";
import { format } from "./library/format.ts";
import { listExtensions, lists, sets } from "./library/lists.ts";
import { mapInsert, optionals } from "./library/optionals.ts";
import { quantity } from "./library/quantity.ts";
import { regex } from "./library/regex.ts";
import { semver } from "./library/semver.ts";
import { standard } from "./library/standard.ts";
import { strings } from "./library/strings.ts";
import { time } from "./library/time.ts";
import { urls } from "./library/urls.ts";
import { type Expression, operators } from "./syntax/ast.ts";
import { walk } from "./syntax/ast-walk.ts";
import { type Macro, macros } from "./syntax/macros.ts";
import { parseExpression } from "./syntax/parser.ts";
import { CostLimitExceededError, CostMeter, metered } from "./text/cost-meter.ts";
import { Diagnostics, Source } from "./text/source.ts";
import type { DeclType } from "./values/decl-type.ts";
import { type FunctionDeclaration, mergeFunctions } from "./values/declarations.ts";
import { type StructProvider, structsOf } from "./values/struct-provider.ts";
import { type CelType, celType } from "./values/type.ts";
import { CelError, type CelValue } from "./values/value.ts";

/** Maximum cost of a single evaluation. @see apiserver pkg/apis/cel PerCallLimit */
export const perCallLimit = 1_000_000;

/** Maximum total cost of all evaluations for one object or one policy binding. @see apiserver pkg/apis/cel RuntimeCELCostBudget */
export const runtimeCostBudget = 10_000_000;

/** Thrown if an expression is not valid. The message lists all errors and their positions in the text. */
export class CelCompileError extends KubewrightError {
  override readonly name = "CelCompileError";
  readonly code = "ERR_CEL_COMPILE";
}

/** Reports whether an error is a {@link CelCompileError}. */
export const isCelCompileError = isErrorWithCode<CelCompileError>("ERR_CEL_COMPILE");

/** Variables, types and functions to add to an environment. */
export interface EnvironmentExtension {
  readonly variables?: Readonly<Record<string, CelType>> | undefined;
  /** Types of the objects that variables contain, including nested objects. */
  readonly types?: readonly DeclType[] | undefined;
  /** Object types that are looked up by name, such as `mutationTypes`. */
  readonly structs?: StructProvider | undefined;
  readonly functions?: readonly FunctionDeclaration[] | undefined;
}

/** Result of an evaluation: a value, which may be a {@link CelError}, and its cost. */
export interface Evaluation {
  readonly value: CelValue;
  readonly cost: number;
}

const basicTypes: Readonly<Record<string, CelType>> = {
  bool: celType.bool,
  bytes: celType.bytes,
  double: celType.double,
  int: celType.int,
  list: celType.list(celType.dyn),
  map: celType.map(celType.dyn, celType.dyn),
  null_type: celType.null,
  string: celType.string,
  type: celType.type(),
  uint: celType.uint,
  optional_type: celType.optional(celType.dyn),
  "google.protobuf.Timestamp": celType.timestamp,
  "google.protobuf.Duration": celType.duration,
  "net.IP": celType.opaque("net.IP"),
  "net.CIDR": celType.opaque("net.CIDR"),
};

/**
 * Functions and macros (as patterns of names) that kube-apiserver accepts in new objects only from a certain minor version of Kubernetes 1
 * on.
 */
interface Addition {
  readonly minor: number;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: RegExp;
}

const named = (functions: readonly FunctionDeclaration[], ...names: string[]): readonly FunctionDeclaration[] =>
  functions.filter(({ name }) => names.includes(name));

/**
 * A server accepts what its previous version can read. A library is therefore accepted one version after upstream introduced it, and a
 * function that came with a version of cel-go is accepted with that version.
 *
 * @see apiserver pkg/cel/environment/base.go baseOpts, DefaultCompatibilityVersion
 */
const additions: readonly Addition[] = [
  { minor: 31, functions: [...ip, ...cidr] },
  { minor: 32, functions: [...format, ...named(authorizer, "fieldSelector", "labelSelector")] },
  {
    minor: 33,
    functions: named(optionals, "first", "last", "optional.unwrap", "unwrapOpt"),
    macros: /^\.(?:all|exists|existsOne|exists_one)\/3$|^\.transform/,
  },
  { minor: 34, functions: semver },
  { minor: 35, functions: listExtensions, macros: /^\.sortBy\// },
];

interface Known {
  readonly macros: ReadonlyMap<string, Macro>;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly structs: readonly StructProvider[];
}

/** The variables, types and functions that expressions may use. Immutable. */
export class CelEnvironment {
  static readonly #ofVersions = new Map<number, CelEnvironment>();
  readonly #known: Known;

  private constructor(known: Known) {
    this.#known = known;
  }

  /** The environment that all Kubernetes expressions share. It contains no variables. */
  static get base(): CelEnvironment {
    return CelEnvironment.acceptedBy(Number.POSITIVE_INFINITY);
  }

  /**
   * Returns {@link base} with only the functions and macros that kube-apiserver 1.`minor` accepts in new objects. The result is exact for
   * 1.30 and newer versions.
   */
  static acceptedBy(minor: number): CelEnvironment {
    const found = CelEnvironment.#ofVersions.get(minor);
    if (found) return found;
    const later = additions.filter((each) => each.minor > minor);
    const missing = new Set(later.flatMap(({ functions }) => functions));
    const all = [
      ...[...standard, ...arithmetic, ...comparison, ...conversion, ...time, ...optionals, ...mapInsert],
      ...[...urls, ...regex, ...lists, ...authorizer, ...quantity, ...strings, ...sets, ...ip, ...cidr],
      ...[...format, ...semver, ...listExtensions],
    ];
    const made = new CelEnvironment({
      macros: new Map([...macros].filter(([key]) => !later.some((each) => each.macros?.test(key)))),
      variables: new Map(),
      functions: mergeFunctions(
        new Map(),
        all.filter((each) => !missing.has(each)),
      ),
      structs: [],
    });
    CelEnvironment.#ofVersions.set(minor, made);
    return made;
  }

  extend({ variables = {}, types = [], structs, functions = [] }: EnvironmentExtension): CelEnvironment {
    return new CelEnvironment({
      macros: this.#known.macros,
      variables: new Map([...this.#known.variables, ...Object.entries(variables)]),
      functions: mergeFunctions(this.#known.functions, functions),
      structs: [...this.#known.structs, ...(types.length > 0 ? [structsOf(types)] : []), ...(structs ? [structs] : [])],
    });
  }

  /** Parses and checks an expression. @throws {CelCompileError} if the text is not a valid expression or contains a type error */
  compile(expression: string): CelProgram {
    const diagnostics = new Diagnostics(new Source(expression));
    const stopIfWrong = (): void => {
      if (diagnostics.count > 0) throw new CelCompileError(diagnostics.toString());
    };
    const parsed = parseExpression(diagnostics, this.#known.macros);
    stopIfWrong();
    if (!parsed) throw new CelCompileError("empty expression");
    const { variables, functions, structs: providers } = this.#known;
    const structs: StructProvider = (name) => {
      for (const provider of providers) {
        const found = provider(name);
        if (found) return found;
      }
      return undefined;
    };
    const names = new Map(variables);
    for (const [name, type] of Object.entries(basicTypes)) if (!names.has(name)) names.set(name, celType.type(type));
    const checked = checkExpression(parsed, { variables: names, functions, structs }, diagnostics);
    stopIfWrong();
    checkLiterals(checked, diagnostics);
    stopIfWrong();
    const typeNames = new Map(Object.entries(basicTypes).filter(([name]) => !variables.has(name)));
    return new CelProgram(expression, checked, planExpression({ checked, structs, typeNames }));
  }
}

/**
 * Parses an expression whose meaning is defined by the caller: macros are not expanded, and neither names nor types are
 * checked.
 *
 * @throws {CelCompileError} if the text is not an expression; the message is that of the first error
 */
export function parseSyntax(text: string): Expression {
  const diagnostics = new Diagnostics(new Source(text));
  const parsed = parseExpression(diagnostics, new Map());
  if (!parsed) throw new CelCompileError(diagnostics.first ?? "empty expression");
  return parsed;
}

/** A compiled expression. */
export class CelProgram {
  readonly expression: string;
  /** Type of the expression's result. */
  readonly outputType: CelType;
  /** Variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
  /**
   * Reason why the expression can never be evaluated, such as an invalid constant; `undefined` if it can be evaluated. @see cel-go's
   * program instantiation
   */
  readonly instantiationError: string | undefined;
  readonly #checked: CheckedExpression;
  readonly #plan: Plan;

  constructor(expression: string, checked: CheckedExpression, plan: Plan) {
    this.expression = expression;
    this.#checked = checked;
    this.#plan = plan;
    this.outputType = checked.types.get(checked.root.id) ?? celType.error;
    this.variables = new Set(
      [...checked.references.values()].flatMap((reference) => (reference.kind === "name" ? [reference.name] : [])),
    );
    this.instantiationError = plan.problem;
  }

  /** Reports whether the expression uses `variable.field`, including `has(variable.field)` or `variable.?field`. */
  selects(variable: string, field: string): boolean {
    const isVariable = (node: Expression | undefined): boolean => node?.kind === "ident" && node.name === variable;
    let found = false;
    walk(this.#checked.root, (node) => {
      if (node.kind === "select") found ||= node.field === field && isVariable(node.operand);
      if (node.kind !== "call" || node.name !== operators.optionalSelect) return;
      const [of, named] = node.args;
      found ||= isVariable(of) && named?.kind === "literal" && named.value === field;
    });
    return found;
  }

  /** Returns the minimum and maximum cost of an evaluation. `sizeOf` must return the maximum size of the value at a path. */
  estimateCost(sizeOf: SizeOf = () => undefined): CostEstimate {
    return estimateCost(this.#checked, sizeOf);
  }

  /** Evaluates the expression. Never throws: a failure is returned as a {@link CelError}. */
  evaluate(
    bindings: Bindings,
    { costLimit = perCallLimit }: { readonly costLimit?: number | undefined } = {},
  ): Evaluation {
    const meter = new CostMeter(costLimit);
    const locals: CelValue[] = new Array(this.#plan.localCount).fill(null);
    try {
      const value = metered(meter, () => this.#plan.run({ bindings, locals, lazy: new Map(), meter }));
      return { value, cost: meter.cost };
    } catch (error) {
      if (!(error instanceof CostLimitExceededError)) throw error;
      return { value: new CelError(error.message), cost: meter.cost };
    }
  }
}
