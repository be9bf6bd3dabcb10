import { readGroup } from "./regular-expression-syntax.ts";

const compiled = new Map<string, RegExp | { readonly error: string }>();
const maxCached = 1000;

/**
 * An expression in the syntax of RE2 as one of JavaScript; what is wrong with it in Go's words otherwise.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function compileRegExp(pattern: string, flags = ""): RegExp | { readonly error: string } {
  const key = `${flags}/${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  const made = compile(pattern, flags);
  if (compiled.size >= maxCached) compiled.clear();
  compiled.set(key, made);
  return made;
}

function compile(pattern: string, flags: string): RegExp | { readonly error: string } {
  const read = readGroup(pattern);
  if ("error" in read) return { error: `error parsing regexp: ${read.error}` };
  try {
    return new RegExp(read.source, `u${flags}`);
  } catch {
    return { error: `error parsing regexp: invalid or unsupported Perl syntax: \`${pattern}\`` };
  }
}
