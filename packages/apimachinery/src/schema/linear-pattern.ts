/** Reports whether a character matches, or whether an assertion holds between two characters. A missing character is an empty text. */
type Node =
  | { readonly type: "atom"; readonly matches: (character: string) => boolean }
  | { readonly type: "assertion"; readonly holds: (before: string, after: string) => boolean }
  | { readonly type: "sequence"; readonly parts: readonly Node[] }
  | { readonly type: "choice"; readonly options: readonly Node[] }
  | { readonly type: "repetition"; readonly part: Node; readonly min: number; readonly max: number };

/** State of an automaton. Reaching state 0 means that the text matches. */
type State =
  | { readonly type: "atom"; readonly matches: (character: string) => boolean; readonly next: number }
  | { readonly type: "assertion"; readonly holds: (before: string, after: string) => boolean; readonly next: number }
  | { readonly type: "fork"; next: readonly number[] };

/** Maximum number of states of an automaton. Repetitions such as `{500}` have one for each time. */
const maxStates = 5_000;

/** Reports whether a text matches a pattern. Returns `undefined` if the text is too long for the pattern. */
export type LinearPattern = (text: string) => boolean | undefined;

/** Maximum number of states that are visited for one text. */
const maxVisits = 10_000_000;

/**
 * Compiles a pattern to an automaton that runs in linear time. A `RegExp` may take exponential time, for example for
 * `(a+)+$`. The embedded API server uses RE2JS for this purpose. This package does not, because it is part of every
 * program and RE2JS would add 260 kB.
 *
 * @param pattern a valid pattern of a `RegExp` with the flag `u`
 *
 * @returns `undefined` if an automaton cannot express the pattern, or if the pattern is too large
 */
export function linearPattern(pattern: string): LinearPattern | undefined {
  const tree = new PatternParser(pattern).parse();
  const states: State[] = [{ type: "fork", next: [] }];
  const start = tree && addStates(states, tree, 0);
  return start === undefined ? undefined : (text) => isMatch(states, start, text);
}

const isWord = (character: string): boolean => /^\w$/.test(character);
const isAtBoundary = (before: string, after: string): boolean => isWord(before) !== isWord(after);
/** Matches a missing character, or one that ends a line if `^` and `$` match at line ends. */
const [textEnd, lineEnd] = [/^$/, /^[\n\r\u2028\u2029]?$/];

class PatternParser {
  readonly #text: string;
  #at = 0;
  /** Flags of the innermost group: `i`, `m` and `s`. */
  #flags = "";

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses up to the end of the group. Returns `undefined` for lookaround groups and for backreferences. */
  parse(): Node | undefined {
    const options: Node[] = [];
    do {
      const parts: Node[] = [];
      while (this.#at < this.#text.length && !/[|)]/.test(this.#text.charAt(this.#at))) {
        const part = this.#part();
        if (!part) return undefined;
        const repeated = this.#take(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y);
        parts.push(repeated ? repetition(part, repeated) : part);
      }
      options.push({ type: "sequence", parts });
    } while (this.#take(/\|/y));
    return { type: "choice", options };
  }

  #part(): Node | undefined {
    if (this.#take(/\((?:\?(?::|<(?![=!])[^>]*>)|(?!\?))/y)) {
      const inner = this.parse();
      this.#take(/\)/y);
      return inner;
    }
    const modifiers = this.#take(/\(\?([ims]*)(?:-([ims]*))?:/y);
    if (modifiers) {
      const outer = this.#flags;
      const [, on = "", off = ""] = modifiers;
      this.#flags = [..."ims"].filter((flag) => (outer + on).includes(flag) && !off.includes(flag)).join("");
      const inner = this.parse();
      this.#flags = outer;
      this.#take(/\)/y);
      return inner;
    }
    if (this.#take(/\(\?|\\[1-9k]/y)) return undefined;
    const [flags, end] = [`${this.#flags}u`, this.#flags.includes("m") ? lineEnd : textEnd];
    if (this.#take(/\^/y)) return { type: "assertion", holds: (before) => end.test(before) };
    if (this.#take(/\$/y)) return { type: "assertion", holds: (_before, after) => end.test(after) };
    if (this.#take(/\\b/y)) return { type: "assertion", holds: isAtBoundary };
    if (this.#take(/\\B/y)) return { type: "assertion", holds: (...sides) => !isAtBoundary(...sides) };
    const [atom = ""] =
      this.#take(
        /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[\dA-Fa-f]{4}(?:\\u[dD][c-fC-F][\dA-Fa-f]{2})?|x..|c.|[pP]\{[^}]*\}|[\s\S])|[\s\S]/uy,
      ) ?? [];
    const expression = new RegExp(`^(?:${atom})$`, flags);
    return { type: "atom", matches: (character) => expression.test(character) };
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found) this.#at += found[0].length;
    return found ?? undefined;
  }
}

/** @param found a quantifier: `*`, `+` or `?`; or the least number, the comma and the most of `{2,5}` */
function repetition(part: Node, [, sign, least, comma, most]: RegExpExecArray): Node {
  if (sign !== undefined)
    return { type: "repetition", part, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
  const min = Number(least);
  return {
    type: "repetition",
    part,
    min,
    max: comma === undefined ? min : most ? Number(most) : Number.POSITIVE_INFINITY,
  };
}

/** Adds the states of a part of a pattern that lead to `next`. Returns the first one, or `undefined` if there are too many states. */
function addStates(states: State[], node: Node, next: number): number | undefined {
  const add = (state: State): number | undefined => {
    if (states.length >= maxStates) return undefined;
    return states.push(state) - 1;
  };
  switch (node.type) {
    case "sequence":
      return node.parts.reduceRight<number | undefined>(
        (after, part) => (after === undefined ? undefined : addStates(states, part, after)),
        next,
      );
    case "choice": {
      const starts: number[] = [];
      for (const option of node.options) {
        const start = addStates(states, option, next);
        if (start === undefined) return undefined;
        starts.push(start);
      }
      return starts.length === 1 ? starts[0] : add({ type: "fork", next: starts });
    }
    case "repetition": {
      const { part, min, max } = node;
      let start: number | undefined = next;
      if (max === Number.POSITIVE_INFINITY) {
        const fork: State = { type: "fork", next: [] };
        start = add(fork);
        if (start === undefined) return undefined;
        const again = addStates(states, part, start);
        if (again === undefined) return undefined;
        fork.next = [again, next];
      }
      for (let i = min; start !== undefined && i < max && max !== Number.POSITIVE_INFINITY; i++) {
        const once = addStates(states, part, start);
        start = once === undefined ? undefined : add({ type: "fork", next: [once, next] });
      }
      for (let i = 0; start !== undefined && i < min; i++) {
        const before: number = states.length;
        start = addStates(states, part, start);
        if (states.length === before) break; // the part is empty
      }
      return start;
    }
    default:
      return add({ ...node, next });
  }
}

function isMatch(states: readonly State[], start: number, text: string): boolean | undefined {
  const seen = new Int32Array(states.length).fill(-1);
  let current: number[] = [];
  let before = "";
  let visits = 0;
  for (let at = 0; at <= text.length; ) {
    const code = text.codePointAt(at);
    const after = code === undefined ? "" : String.fromCodePoint(code);
    const reached: number[] = [];
    const waiting = [...current, start];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (one === 0) return true;
      const state = states[one];
      if (!state || seen[one] === at) continue;
      seen[one] = at;
      if (++visits > maxVisits) return undefined;
      if (state.type === "fork") waiting.push(...state.next);
      else if (state.type === "assertion") {
        if (state.holds(before, after)) waiting.push(state.next);
      } else if (after !== "" && state.matches(after)) reached.push(state.next);
    }
    current = reached;
    before = after;
    at += Math.max(1, after.length);
  }
  return false;
}
