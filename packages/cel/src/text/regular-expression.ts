import { RE2JS, RE2JSSyntaxException } from "re2js";
import { MatchingTime } from "./matching-time.ts";

/** A compiled expression of RE2's syntax. Each method throws {@link MatchingTooCostly} rather than hold up everybody. */
export interface Pattern {
  test(text: string): boolean;
  /** The leftmost match, or the empty string. */
  find(text: string): string;
  /** All matches that do not overlap, as Go's `FindAllString` gives them; at most `limit` of them unless it is negative. */
  findAll(text: string, limit: number): string[];
}

/** An expression that cannot be compiled, and why, in Go's words. */
export interface BadPattern {
  readonly error: string;
}

/** Whether compiling failed. */
export const isBadPattern = (pattern: Pattern | BadPattern): pattern is BadPattern => "error" in pattern;

/** Matching would take, or has taken, longer than everybody else should wait. */
export class MatchingTooCostly extends Error {
  override readonly name = "MatchingTooCostly";

  constructor() {
    super("the regular expression takes too long to match");
  }
}

/** Instructions of a compiled expression, and characters of its text. Go's own limit of 3.3 million would take seconds to compile. */
const maxProgram = 50_000;
/** Instructions times characters of one match: a second or two where each character meets every instruction. */
const maxSteps = 200_000_000;
const maxCached = 1_000;
const maxCachedInstructions = 500_000;
/** What an expression learns while matching is forgotten after so long, for it takes memory. */
const forgetAfterMs = 200;

/** Of a repetition, those within it counted. */
const maxRepeat = 1_000;
const problem = (what: string): BadPattern => ({ error: `error parsing regexp: ${what}` });
const compiled = new Map<string, Pattern | BadPattern>();
let cachedInstructions = 0;
const time = new MatchingTime();

/**
 * Compiles an expression in the syntax of RE2 for an engine that never backtracks: time grows with the text, whatever the expression.
 * What a match may take at most is bounded, too.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function compilePattern(pattern: string): Pattern | BadPattern {
  const known = compiled.get(pattern);
  if (known) return known;
  const { size, excessive, openings } = extentOf(pattern);
  if (size > maxProgram) return problem(excessive ? `invalid repeat count: \`${excessive}\`` : "expression too large");
  const made = compile(pattern) ?? compile(withoutNames(pattern, openings)) ?? problem("duplicate name");
  if (compiled.size >= maxCached || cachedInstructions + size > maxCachedInstructions) {
    compiled.clear();
    cachedInstructions = 0;
  }
  compiled.set(pattern, made);
  cachedInstructions += size;
  return made;
}

/** Nothing where a name stands for two groups: Go allows it, and names mean nothing here. */
function compile(pattern: string): Pattern | BadPattern | undefined {
  try {
    return new LinearPattern(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return error.message.includes("duplicate capture group name") ? undefined : { error: error.message };
  }
}

function withoutNames(pattern: string, openings: readonly number[]): string {
  const ends = [...openings.slice(1), pattern.length];
  const groups = openings.map((start, i) => pattern.slice(start, ends[i]).replace(/^\(\?P?<\w+>/, "("));
  return pattern.slice(0, openings[0]) + groups.join("");
}

class LinearPattern implements Pattern {
  readonly #source: string;
  readonly #size: number;
  #expression: RE2JS;
  #usedMs = 0;

  constructor(source: string) {
    this.#source = source;
    this.#expression = time.measure(() => RE2JS.compile(source));
    this.#size = this.#expression.programSize();
  }

  test(text: string): boolean {
    return this.#run(text, () => this.#expression.test(text));
  }

  find(text: string): string {
    return this.#run(text, () => {
      const matcher = this.#expression.matcher(text);
      return matcher.find() ? (matcher.group() ?? "") : "";
    });
  }

  findAll(text: string, limit: number): string[] {
    const matcher = this.#expression.matcher(text);
    const found: string[] = [];
    let end = -1;
    while (limit < 0 || found.length < limit) {
      if (!this.#run(text, () => matcher.find())) break;
      const match = matcher.group() ?? "";
      // nothing is found right behind a match
      if (match !== "" || matcher.start() !== end) found.push(match);
      end = matcher.end();
    }
    return found;
  }

  #run<T>(text: string, match: () => T): T {
    if (this.#size * text.length > maxSteps || time.isUsedUp) throw new MatchingTooCostly();
    const before = time.usedMs;
    const result = time.measure(match);
    this.#usedMs += time.usedMs - before;
    if (this.#usedMs > forgetAfterMs) {
      this.#expression = RE2JS.compile(this.#source);
      this.#usedMs = 0;
    }
    return result;
  }
}

interface Extent {
  /** A bound on the instructions: one for each character, as often as it is repeated. */
  readonly size: number;
  /** The repetition that with those around it asks for more than Go allows. */
  readonly excessive?: string;
  /** Where groups begin. */
  readonly openings: readonly number[];
}

/** How large an expression is, without compiling it. */
function extentOf(pattern: string): Extent {
  if (pattern.length > maxProgram) return { size: Number.POSITIVE_INFINITY, openings: [] };
  const openings: number[] = [];
  const groups: { readonly size: number; readonly times: number }[] = [];
  let size = 0;
  let times = 1;
  let atom = { size: 0, times: 1 };
  let excessive: string | undefined;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "(") {
      openings.push(at);
      groups.push({ size: size + 1, times });
      size = 0;
      times = 1;
      continue;
    }
    const outer = char === ")" ? groups.pop() : undefined;
    if (outer) {
      atom = { size: size + 2, times };
      size = atom.size + outer.size;
      times = Math.max(times, outer.times);
      continue;
    }
    const repeat = char === "{" ? repetition(pattern, at) : undefined;
    if (repeat) {
      size += atom.size * Math.max(0, repeat.times - 1) * 2;
      times = Math.max(times, atom.times * repeat.times);
      if (times > maxRepeat) excessive ??= repeat.text;
      at += repeat.text.length - 1;
      continue;
    }
    const next = char === "\\" ? at + 1 : char === "[" ? endOfClass(pattern, at) : at;
    atom = { size: 1, times: 1 };
    size += next - at + 1;
    at = next;
  }
  const whole = size + groups.reduce((sum, outer) => sum + outer.size, 0);
  return excessive === undefined ? { size: whole, openings } : { size: whole, excessive, openings };
}

function repetition(pattern: string, at: number): { readonly times: number; readonly text: string } | undefined {
  const [text, low, , high] = /^\{(\d+)(,(\d*))?\}/.exec(pattern.slice(at, at + 16)) ?? [];
  const times = Math.max(Number(low), Number(high || 0));
  // the engine refuses more than that at once
  return text === undefined ? undefined : { times: times > maxRepeat ? 1 : times, text };
}

/** Where a class's closing bracket stands; a first `]` is a member. */
function endOfClass(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === "^" ? 2 : 1);
  if (pattern[at] === "]") at++;
  while (at < pattern.length && pattern[at] !== "]") {
    const [posix] = /^\[:\^?[a-z]+:\]/.exec(pattern.slice(at, at + 12)) ?? [];
    at += posix?.length ?? (pattern[at] === "\\" ? 2 : 1);
  }
  return Math.min(at, pattern.length - 1);
}
