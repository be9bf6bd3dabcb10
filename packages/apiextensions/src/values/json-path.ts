import { isRecord } from "@kubewright/apimachinery";

/** Thrown if a JSONPath is not valid. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}

/** Maximum number of values that the evaluation of a path visits: twice as many as a request may contain. */
const maxVisits = 200_000;
/** Maximum depth to which filters may be nested. */
const maxNested = 20;

class TooManyVisits extends Error {
  override readonly name = "TooManyVisits";
}

/** Counts the visited values. Without a maximum, a path such as `..a..a..a` could visit any number of them. */
class Visits {
  #left = maxVisits;

  /** Adds visited values to the count. @throws {TooManyVisits} if the count exceeds the maximum */
  count(values = 1): void {
    this.#left -= values;
    if (this.#left < 0) throw new TooManyVisits();
  }
}

type Step = (values: readonly unknown[], visits: Visits) => unknown[];

/** A parsed path. Returns all values at the path, or none if evaluating the path visits too many values. */
export type JsonPath = (root: unknown) => unknown[];

/**
 * Parses the JSONPath of a printer column, scale field or selectable field. The path may contain members (`.a`,
 * `['a']`), positions (`[0]`, `[-1]`, `[1:3]`), `[*]`, `..name`, and filters (`[?(@.type=="Ready")]`), and may be
 * enclosed in braces.
 *
 * @throws {JsonPathError} if the path is not valid
 * @see client-go util/jsonpath
 */
export function parseJsonPath(text: string): JsonPath {
  const follow = parsePath(text, 0);
  return (root) => {
    try {
      return follow([root], new Visits());
    } catch (error) {
      if (error instanceof TooManyVisits) return [];
      throw error;
    }
  };
}

function parsePath(text: string, depth: number): Step {
  if (depth > maxNested) throw new JsonPathError("filters are nested too deeply");
  const body = text.trim().replace(/^\{(.*)\}$/s, "$1");
  const steps: Step[] = [];
  let rest = body.startsWith("$") ? body.slice(1) : body;
  while (rest !== "") {
    const [step, length] = nextStep(rest, text, depth);
    steps.push(step);
    rest = rest.slice(length);
  }
  return (root, visits) =>
    steps.reduce<unknown[]>(
      (values, step) => {
        visits.count(values.length);
        return step(values, visits);
      },
      [...root],
    );
}

function nextStep(rest: string, text: string, depth: number): [Step, number] {
  const recursive = /^\.\.(\w[\w-]*)/.exec(rest);
  if (recursive) return [descend(recursive[1] ?? ""), recursive[0].length];
  const member = /^\.((?:\\.|[^.[\]\\])+)/.exec(rest);
  if (member) {
    const name = (member[1] ?? "").replace(/\\(.)/g, "$1");
    return [name === "*" ? everything : memberNamed(name), member[0].length];
  }
  if (rest === ".") return [(values) => [...values], 1];
  const close = endOfBracket(rest);
  if (close < 0) throw new JsonPathError(`unrecognized character in ${text}`);
  return [bracket(rest.slice(1, close).trim(), text, depth), close + 1];
}

function endOfBracket(rest: string): number {
  if (!rest.startsWith("[")) return -1;
  let depth = 0;
  let quote = "";
  for (let at = 0; at < rest.length; at++) {
    const char = rest.charAt(at);
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "[") depth++;
    else if (char === "]" && --depth === 0) return at;
  }
  return -1;
}

function bracket(inside: string, text: string, depth: number): Step {
  if (inside === "*") return everything;
  const quoted = /^(['"])(.*)\1$/s.exec(inside);
  if (quoted) return memberNamed((quoted[2] ?? "").replace(/\\(.)/g, "$1"));
  const filter = /^\?\((.*)\)$/s.exec(inside);
  if (filter) return filterBy(filter[1] ?? "", text, depth);
  if (/^-?\d+$/.test(inside)) {
    const index = Number(inside);
    return (values) => values.flatMap((v) => (Array.isArray(v) && v.at(index) !== undefined ? [v.at(index)] : []));
  }
  const slice = /^(-?\d*):(-?\d*)$/.exec(inside);
  if (!slice) throw new JsonPathError(`invalid array index ${inside} in ${text}`);
  const [from, to] = [slice[1], slice[2]].map((part) => (part ? Number(part) : undefined));
  return (values) => values.flatMap((v: unknown) => (Array.isArray(v) ? v.slice(from, to) : []));
}

const memberNamed =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const everything: Step = (values) =>
  values.flatMap((value: unknown) => (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []));

const descend =
  (name: string): Step =>
  (values, visits) => {
    const found: unknown[] = [];
    const visit = (value: unknown): void => {
      visits.count();
      if (isRecord(value) && Object.hasOwn(value, name)) found.push(value[name]);
      if (isRecord(value) || Array.isArray(value)) for (const inner of Object.values(value)) visit(inner);
    };
    for (const value of values) visit(value);
    return found;
  };

const comparisons: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => order(a, b) < 0,
  "<=": (a, b) => order(a, b) <= 0,
  ">": (a, b) => order(a, b) > 0,
  ">=": (a, b) => order(a, b) >= 0,
};

const order = (a: unknown, b: unknown): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : a === b ? 0 : 1;

/** Splits a filter's condition at its first comparison operator. */
function comparisonIn(condition: string): readonly [left: string, operator: string, right: string] | undefined {
  const operator = /==|!=|<=|>=|<|>/g;
  operator.lastIndex = 1;
  const [found] = operator.exec(condition) ?? [];
  const end = operator.lastIndex;
  return found === undefined || end === condition.length
    ? undefined
    : [condition.slice(0, end - found.length), found, condition.slice(end)];
}

function filterBy(text: string, whole: string, depth: number): Step {
  const condition = text.trim();
  const operand = (part: string): Step => {
    const literal = part.trim();
    if (literal.startsWith("@")) return parsePath(literal.slice(1), depth + 1);
    const quoted = /^(['"])(.*)\1$/s.exec(literal);
    if (quoted) return () => [quoted[2] ?? ""];
    if (literal === "true" || literal === "false") return () => [literal === "true"];
    if (literal !== "" && !Number.isNaN(Number(literal))) return () => [Number(literal)];
    throw new JsonPathError(`unrecognized filter ${text} in ${whole}`);
  };
  const items = (value: unknown): unknown[] =>
    Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  const passing =
    (passes: (item: unknown, visits: Visits) => boolean): Step =>
    (values, visits) =>
      values.flatMap((value) => items(value).filter((item) => passes(item, visits)));
  const parts = comparisonIn(condition);
  if (!parts) {
    const exists = operand(condition);
    return passing((item, visits) => exists([item], visits).length > 0);
  }
  const [left, right] = [operand(parts[0]), operand(parts[2])];
  const compare = comparisons[parts[1]] ?? (() => false);
  return passing((item, visits) => {
    visits.count();
    const [a, b] = [left([item], visits), right([item], visits)];
    return a.length > 0 && b.length > 0 && compare(a[0], b[0]);
  });
}
