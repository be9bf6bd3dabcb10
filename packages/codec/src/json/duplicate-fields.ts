import { maxDepth } from "./depth.ts";

/** Maximum total length of the paths. Without this limit, a long key would be repeated in the paths of thousands of fields. */
const longestPaths = 256 * 1024;

/**
 * Returns the paths of fields that are repeated within their object, such as `spec.containers[0].name`, in the order in
 * which they occur. `JSON.parse` silently keeps only the last occurrence. The list is cut off after 256 KiB of paths.
 *
 * @param value result of parsing the text. If it has as many fields as the text has keys, no field is repeated
 *
 * @throws {RangeError} if lists and objects are nested more deeply than {@link maxDepth}
 */
export function duplicateFields(text: string, value: unknown): string[] {
  return countKeys(text) === countMembers(value, maxDepth) ? [] : repeatedPaths(text);
}

/** Returns the number of members in a value, at all levels, or NaN if the value nests deeper than `levels`. */
function countMembers(value: unknown, levels: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (levels === 0) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item, levels - 1);
    return count;
  }
  for (const name in value) count += 1 + countMembers((value as Record<string, unknown>)[name], levels - 1);
  return count;
}

/** Returns the number of strings that are followed by a colon. */
function countKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    let end = text.indexOf('"', at + 1);
    while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end < 0) return count;
    if (text.charCodeAt(end + 1) === colon || isFollowedByColon(text, end)) count++;
    at = text.indexOf('"', end + 1);
  }
  return count;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

function repeatedPaths(text: string): string[] {
  const found = new Set<string>();
  const stack: Scope[] = [];
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const scope = stack.at(-1);
    switch (text.charCodeAt(at)) {
      case openBrace:
        checkDepth(stack);
        stack.push({ keys: new Map(), key: "", index: -1, parent: scope });
        break;
      case openBracket:
        checkDepth(stack);
        stack.push({ keys: undefined, key: "", index: 0, parent: scope });
        break;
      case closeBrace:
      case closeBracket:
        stack.pop();
        break;
      case comma:
        if (scope && !scope.keys) scope.index++;
        break;
      case quoteMark: {
        const end = endOfString(text, at);
        if (scope?.keys && isFollowedByColon(text, end)) {
          const raw = text.slice(at, end + 1);
          scope.key = raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
          const isReported = scope.keys.get(scope.key);
          if (isReported === false && length <= longestPaths) {
            const path = pathOf(scope);
            length += path.length;
            found.add(path);
          }
          scope.keys.set(scope.key, isReported !== undefined);
        }
        at = end;
        break;
      }
    }
  }
  return [...found];
}

function checkDepth(stack: readonly Scope[]): void {
  if (stack.length === maxDepth) throw new RangeError("exceeded max depth");
}

interface Scope {
  /** Keys that have been seen so far, and whether each is repeated; absent for a list. */
  readonly keys: Map<string, boolean> | undefined;
  key: string;
  index: number;
  readonly parent: Scope | undefined;
}

const [openBrace, closeBrace, openBracket, closeBracket, comma, quoteMark, backslash, colon] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x22, 0x5c, 0x3a,
];

/** Returns the index of the quotation mark that ends the string starting at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quoteMark) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === colon;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function pathOf(scope: Scope): string {
  const parent = scope.parent ? pathOf(scope.parent) : "";
  if (!scope.keys) return `${parent}[${scope.index}]`;
  return parent === "" ? scope.key : `${parent}.${scope.key}`;
}
