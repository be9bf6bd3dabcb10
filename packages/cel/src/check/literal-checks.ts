import { parseGoDuration } from "@kubewright/apimachinery";
import { type Clause, clauseUses, FormatProblem, visitFormat } from "../library/string-format.ts";
import type { CallExpression, Expression } from "../syntax/ast.ts";
import { walk } from "../syntax/ast-walk.ts";
import { parseRfc3339 } from "../text/go-text.ts";
import { compilePattern, isBadPattern } from "../text/regular-expression.ts";
import type { Diagnostics } from "../text/source.ts";
import { type CelType, celType, formatType, isDyn, isSameType, paramsOf, typeName } from "../values/type.ts";
import type { CheckedExpression } from "./checked-expression.ts";

/**
 * Checks the literals in an expression before it is evaluated: durations, times, regular expressions and format strings must be valid, and
 * the elements of a list or map of literals must have the same type.
 *
 * @see cel-go cel/validator.go
 */
export function checkLiterals(checked: CheckedExpression, diagnostics: Diagnostics): void {
  walk(checked.root, (node, ancestors) => {
    if (node.kind === "call") checkCall(node, checked, diagnostics);
    if (node.kind !== "list" && node.kind !== "map") return;
    if (ancestors.some((outer) => outer.kind === "call" && outer.name === "format")) return;
    checkAggregate(node, checked, diagnostics);
  });
}

const literalTests: Readonly<Record<string, (value: string) => boolean>> = {
  duration: (value) => parseGoDuration(value) !== undefined,
  timestamp: (value) => parseRfc3339(value) !== undefined,
  matches: (value) => !isBadPattern(compilePattern(value)),
};

function checkCall(call: CallExpression, checked: CheckedExpression, diagnostics: Diagnostics): void {
  const test = Object.hasOwn(literalTests, call.name) ? literalTests[call.name] : undefined;
  const [first] = call.args;
  const isWrong =
    first?.kind === "literal" &&
    (typeof first.value === "string" ? test?.(first.value) === false : call.name === "duration");
  if (isWrong) diagnostics.report(first.at, `invalid ${call.name} argument`);
  if (
    call.name === "format" &&
    call.target?.kind === "literal" &&
    typeof call.target.value === "string" &&
    first?.kind === "list"
  )
    checkFormat(
      call,
      call.target.value,
      first.items.map(({ value }) => value),
      checked,
      diagnostics,
    );
}

function checkAggregate(
  node: Extract<Expression, { kind: "list" | "map" }>,
  { types }: CheckedExpression,
  diagnostics: Diagnostics,
): void {
  const typeOf = ({ id }: Expression, isOptional: boolean): CelType => {
    const type = types.get(id) ?? celType.error;
    return isOptional ? (paramsOf(type)[0] ?? type) : type;
  };
  const expectOne = (parts: readonly { value: Expression; optional: boolean }[]): void => {
    let expected: CelType | undefined;
    for (const { value, optional } of parts) {
      const type = typeOf(value, optional);
      expected ??= type;
      if (!isEquivalent(expected, type))
        diagnostics.report(value.at, `expected type '${formatType(expected)}' but found '${formatType(type)}'`);
    }
  };
  if (node.kind === "map") {
    expectOne(node.entries.map(({ key }) => ({ value: key, optional: false })));
    expectOne(node.entries);
  } else expectOne(node.items);
}

/** Reports whether two types are both known and equal. */
function isEquivalent(a: CelType, b: CelType): boolean {
  if (a.kind !== b.kind || ("name" in a && "name" in b && a.name !== b.name)) return isSameType(a, b);
  const [left, right] = [paramsOf(a), paramsOf(b)];
  return left.length === right.length && left.every((part, i) => isEquivalent(part, right[i] ?? celType.error));
}

const allowed: Readonly<Record<Clause["letter"], readonly CelType["kind"][]>> = {
  s: ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
};

function checkFormat(
  call: CallExpression,
  text: string,
  args: readonly Expression[],
  { types }: CheckedExpression,
  diagnostics: Diagnostics,
): void {
  let used = 0;
  let at = call.at;
  const misfit = (argument: Expression, letter: Clause["letter"]): Expression | undefined => {
    const type = types.get(argument.id) ?? celType.dyn;
    if (!isDyn(type) && !allowed[letter].includes(type.kind)) return argument;
    if (letter !== "s") return undefined;
    const parts =
      argument.kind === "list"
        ? argument.items.map(({ value }) => value)
        : argument.kind === "map"
          ? argument.entries.flatMap(({ key, value }) => [key, value])
          : [];
    for (const part of parts) {
      const found = misfit(part, letter);
      if (found) return found;
    }
    return undefined;
  };
  try {
    visitFormat(text, {
      // a missing argument is not an error in the clause before it
      argumentCount: args.length,
      format({ letter }, position) {
        used++;
        const argument = args[position];
        const wrong = argument ? misfit(argument, letter) : undefined;
        if (!wrong) return "";
        at = wrong.at;
        const given = typeName(types.get(wrong.id) ?? celType.dyn);
        throw new FormatProblem(`error during formatting: ${clauseUses[letter]}, was given ${given}`);
      },
    });
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    diagnostics.report(at, error.message);
    return;
  }
  if (args.length > used)
    diagnostics.report(call.at, `too many arguments supplied to string.format (expected ${used}, got ${args.length})`);
}
