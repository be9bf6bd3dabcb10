import { type Expression, operators } from "./ast.ts";
import type { ExpressionBuilder } from "./expression-builder.ts";

interface MacroCall {
  readonly at: number;
  readonly name: string;
  readonly args: readonly Expression[];
  readonly target: Expression | undefined;
}

/** Expands a call before the expression is checked. Returns `undefined` if the call must not be expanded. */
export type Macro = (make: MacroBuilder, call: MacroCall) => Expression | MacroError | undefined;

class MacroError {
  readonly at: number;
  readonly message: string;

  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

const accumulator = "@result";

/** Creates nodes at the source position of the macro. */
class MacroBuilder {
  readonly #builder: ExpressionBuilder;
  readonly #at: number;

  constructor(builder: ExpressionBuilder, at: number) {
    this.#builder = builder;
    this.#at = at;
  }

  literal(value: boolean | bigint): Expression {
    return this.#builder.literal(this.#at, value);
  }

  ident(name: string): Expression {
    return this.#builder.ident(this.#at, name);
  }

  result(): Expression {
    return this.ident(accumulator);
  }

  call(name: string, ...args: Expression[]): Expression {
    return this.#builder.call(this.#at, name, args);
  }

  member(target: Expression, name: string, ...args: Expression[]): Expression {
    return this.#builder.call(this.#at, name, args, target);
  }

  list(...items: Expression[]): Expression {
    return this.#builder.list(
      this.#at,
      items.map((value) => ({ value, optional: false })),
    );
  }

  map(): Expression {
    return this.#builder.map(this.#at, []);
  }

  has(operand: Expression, field: string): Expression {
    return this.#builder.select(this.#at, operand, field, true);
  }

  fold(
    range: Expression,
    variables: readonly [string, string?],
    parts: { initial: Expression; condition: Expression; step: Expression; result: Expression },
    name = accumulator,
  ): Expression {
    const [variable, secondVariable] = variables;
    return {
      kind: "comprehension",
      id: this.#builder.id(),
      at: this.#at,
      range,
      variable,
      ...(secondVariable === undefined ? {} : { secondVariable }),
      accumulator: name,
      ...parts,
    };
  }
}

type Variables = readonly [string, string?];

/** Returns the names of a loop's one or two variables. */
function variablesOf(args: readonly Expression[], count: 1 | 2, complaint: string): Variables | MacroError {
  const names: string[] = [];
  for (const arg of args.slice(0, count)) {
    if (arg.kind !== "ident") return new MacroError(arg.at, complaint);
    names.push(arg.name);
  }
  const [first = "", second] = names;
  if (first === second) return new MacroError(args[1]?.at ?? 0, `duplicate variable name: ${first}`);
  const taken = names.findIndex((name) => name === accumulator || name === "__result__");
  if (taken >= 0) return new MacroError(args[taken]?.at ?? 0, "iteration variable overwrites accumulator variable");
  return second === undefined ? [first] : [first, second];
}

const simpleName = "argument must be a simple name";
const identifier = "argument is not an identifier";

/** Creates a macro that loops over a range: `range.name(variables, further arguments)`. */
function loop(
  count: 1 | 2,
  complaint: string,
  expand: (make: MacroBuilder, range: Expression, variables: Variables, rest: readonly Expression[]) => Expression,
): Macro {
  return (make, { target, args }) => {
    const variables = variablesOf(args, count, complaint);
    if (variables instanceof MacroError || !target) return variables instanceof MacroError ? variables : undefined;
    return expand(make, target, variables, args.slice(count));
  };
}

type Expand = Parameters<typeof loop>[2];

const all: Expand = (make, range, variables, [test = make.literal(true)]) =>
  make.fold(range, variables, {
    initial: make.literal(true),
    condition: make.call(operators.notStrictlyFalse, make.result()),
    step: make.call(operators.and, make.result(), test),
    result: make.result(),
  });

const exists: Expand = (make, range, variables, [test = make.literal(true)]) =>
  make.fold(range, variables, {
    initial: make.literal(false),
    condition: make.call(operators.notStrictlyFalse, make.call(operators.not, make.result())),
    step: make.call(operators.or, make.result(), test),
    result: make.result(),
  });

const existsOne: Expand = (make, range, variables, [test = make.literal(true)]) =>
  make.fold(range, variables, {
    initial: make.literal(0n),
    condition: make.literal(true),
    step: make.call(
      operators.conditional,
      test,
      make.call(operators.add, make.result(), make.literal(1n)),
      make.result(),
    ),
    result: make.call(operators.equals, make.result(), make.literal(1n)),
  });

/** Creates a loop that collects the results of `step`. If the macro has a filter, only elements that pass the filter are used. */
const gather =
  (
    initial: (make: MacroBuilder) => Expression,
    step: (make: MacroBuilder, value: Expression, v: string) => Expression,
  ) =>
  (make: MacroBuilder, range: Expression, variables: Variables, rest: readonly Expression[]): Expression => {
    const [filter, value] = rest.length > 1 ? rest : [undefined, ...rest];
    const next = step(make, value ?? make.literal(true), variables[0]);
    return make.fold(range, variables, {
      initial: initial(make),
      condition: make.literal(true),
      step: filter ? make.call(operators.conditional, filter, next, make.result()) : next,
      result: make.result(),
    });
  };

const emptyList = (make: MacroBuilder): Expression => make.list();
const emptyMap = (make: MacroBuilder): Expression => make.map();
const append = (make: MacroBuilder, value: Expression): Expression =>
  make.call(operators.add, make.result(), make.list(value));
const map = gather(emptyList, append);
const insert = gather(emptyMap, (make, value, key) =>
  make.call("cel.@mapInsert", make.result(), make.ident(key), value),
);
const insertEntry = gather(emptyMap, (make, value) => make.call("cel.@mapInsert", make.result(), value));

const filter: Expand = (make, range, variables, [test = make.literal(true)]) =>
  map(make, range, variables, [test, make.ident(variables[0])]);

const has: Macro = (make, { args: [argument] }) => {
  if (!argument) return undefined;
  if (argument.kind !== "select") return new MacroError(argument.at, "invalid argument to has() macro");
  return make.has(argument.operand, argument.field);
};

/** Creates a macro that evaluates its body only if the optional has a value. In the body, the variable contains that value. */
const mapOptional =
  (wrap: (make: MacroBuilder, body: Expression) => Expression): Macro =>
  (make, { target, args: [name, body] }) => {
    if (!target || !name || !body) return undefined;
    if (name.kind !== "ident") return new MacroError(name.at, "optMap() variable name must be a simple identifier");
    const bound = make.fold(
      make.list(),
      ["#unused"],
      {
        initial: make.member(target, "value"),
        condition: make.literal(false),
        step: make.ident(name.name),
        result: body,
      },
      name.name,
    );
    return make.call(
      operators.conditional,
      make.member(target, "hasValue"),
      wrap(make, bound),
      make.call("optional.none"),
    );
  };

/** Expands `list.sortBy(x, key)` to a call of a function that sorts the list by the keys. */
const sortBy: Macro = (make, { target, args: [name, key] }) => {
  if (!target || !name || !key) return undefined;
  if (name.kind !== "ident") return new MacroError(name.at, identifier);
  const input = "@__sortBy_input__";
  const keys = map(make, make.ident(input), [name.name], [key]);
  return make.fold(
    make.list(),
    ["#unused"],
    {
      initial: target,
      condition: make.literal(false),
      step: make.ident(input),
      result: make.member(make.ident(input), "@sortByAssociatedKeys", keys),
    },
    input,
  );
};

/** Returns the key under which a macro is stored: its name, its number of arguments, and whether it is called on a target. */
const macroKey = (name: string, argumentCount: number, hasTarget: boolean): string =>
  `${hasTarget ? "." : ""}${name}/${argumentCount}`;

/** All macros. @see cel-go parser/macro.go, ext/comprehensions.go, cel/library.go */
export const macros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ["has/1", has],
  [".all/2", loop(1, simpleName, all)],
  [".exists/2", loop(1, simpleName, exists)],
  [".exists_one/2", loop(1, simpleName, existsOne)],
  [".map/2", loop(1, identifier, map)],
  [".map/3", loop(1, identifier, map)],
  [".filter/2", loop(1, identifier, filter)],
  [".all/3", loop(2, simpleName, all)],
  [".exists/3", loop(2, simpleName, exists)],
  [".existsOne/3", loop(2, simpleName, existsOne)],
  [".exists_one/3", loop(2, simpleName, existsOne)],
  [".transformList/3", loop(2, simpleName, map)],
  [".transformList/4", loop(2, simpleName, map)],
  [".transformMap/3", loop(2, simpleName, insert)],
  [".transformMap/4", loop(2, simpleName, insert)],
  [".transformMapEntry/3", loop(2, simpleName, insertEntry)],
  [".transformMapEntry/4", loop(2, simpleName, insertEntry)],
  [".optMap/2", mapOptional((make, body) => make.call("optional.of", body))],
  [".optFlatMap/2", mapOptional((_make, body) => body)],
  [".sortBy/2", sortBy],
]);

/** Returns the expansion of a call, or `undefined` if the call is not a macro. */
export function expandMacro(
  known: ReadonlyMap<string, Macro>,
  builder: ExpressionBuilder,
  call: MacroCall,
): Expression | undefined {
  const macro = known.get(macroKey(call.name, call.args.length, call.target !== undefined));
  if (!macro) return undefined;
  const result = macro(new MacroBuilder(builder, call.at), call);
  if (!(result instanceof MacroError)) return result;
  builder.error(result.at, result.message);
  return builder.missing(call.at);
}
