import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { MatchingTime } from "./matching-time.ts";

/**
 * A compiled regular expression in RE2's syntax. If a match would block the process for too long, the methods throw a
 * {@link MatchingTooCostlyError}.
 */
export interface Pattern {
  test(text: string): boolean;
  /** Returns the leftmost match, or an empty string if nothing matches. */
  find(text: string): string;
  /** Returns all matches that do not overlap, like Go's `FindAllString`. Returns at most `limit` of them unless `limit` is negative. */
  findAll(text: string, limit: number): string[];
}

/** Describes why a regular expression cannot be compiled, with Go's message. */
export interface BadPattern {
  readonly error: string;
}

/** Reports whether a regular expression could not be compiled. */
export const isBadPattern = (pattern: Pattern | BadPattern): pattern is BadPattern => "error" in pattern;

/** Thrown if matching has taken, or would take, too long. */
export class MatchingTooCostlyError extends KubewrightError {
  override readonly name = "MatchingTooCostlyError";
  readonly code = "ERR_MATCHING_TOO_COSTLY";

  constructor() {
    super("the regular expression takes too long to match");
  }
}

/** Reports whether an error is a {@link MatchingTooCostlyError}. */
export const isMatchingTooCostlyError = isErrorWithCode<MatchingTooCostlyError>("ERR_MATCHING_TOO_COSTLY");

/**
 * Maximum number of instructions in a compiled expression, and maximum number of characters in its text. An expression at Go's own limit of
 * 3.3 million would take seconds to compile.
 */
const maxProgram = 50_000;
/**
 * Maximum product of instructions and characters for one match. If every instruction runs for every character, a match at this limit takes
 * a second or two.
 */
const maxSteps = 200_000_000;
const maxCached = 1_000;
const maxCachedInstructions = 500_000;
/** Time in milliseconds after which an expression's cached states are dropped to free memory. */
const forgetAfterMs = 200;

/** Maximum number of repetitions, including nested ones. */
const maxRepeat = 1_000;
const problem = (what: string): BadPattern => ({ error: `error parsing regexp: ${what}` });
const compiled = new Map<string, Pattern | BadPattern>();
let cachedInstructions = 0;
const time = new MatchingTime();

/**
 * Compiles a regular expression in RE2's syntax. The engine never backtracks, so the time for a match grows only
 * linearly with the length of the text. This time is also limited.
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

/**
 * Compiles an expression. Returns `undefined` if two groups have the same name, which Go permits. The caller can then remove the names,
 * because nothing here uses them.
 */
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
      // an empty match right after a match does not count
      if (match !== "" || matcher.start() !== end) found.push(match);
      end = matcher.end();
    }
    return found;
  }

  #run<T>(text: string, match: () => T): T {
    if (this.#size * text.length > maxSteps || time.isUsedUp) throw new MatchingTooCostlyError();
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
  /** Upper bound on the number of instructions: one for each character, multiplied by its repetitions. */
  readonly size: number;
  /** The repetition that, multiplied by the enclosing repetitions, exceeds Go's limit. */
  readonly excessive?: string;
  /** Offsets at which groups start. */
  readonly openings: readonly number[];
}

/** Measures an expression without compiling it. */
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
  // the engine refuses larger expressions
  return text === undefined ? undefined : { times: times > maxRepeat ? 1 : times, text };
}

/** Returns the offset of a character class's closing bracket. A leading `]` is a member of the class. */
function endOfClass(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === "^" ? 2 : 1);
  if (pattern[at] === "]") at++;
  while (at < pattern.length && pattern[at] !== "]") {
    const [posix] = /^\[:\^?[a-z]+:\]/.exec(pattern.slice(at, at + 12)) ?? [];
    at += posix?.length ?? (pattern[at] === "\\" ? 2 : 1);
  }
  return Math.min(at, pattern.length - 1);
}
