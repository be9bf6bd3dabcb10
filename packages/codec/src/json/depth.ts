/**
 * Maximum nesting depth of an object. Upstream accepts 10,000 levels. This limit is lower, because all operations on an
 * object (in particular writing YAML) are recursive and must not overflow the stack. No kind needs even a tenth of it.
 */
export const maxDepth = 500;

/** Reports whether lists and objects are nested more deeply than {@link maxDepth}. */
export const isTooDeep = (value: unknown): boolean => isDeeperThan(value, maxDepth);

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const name in value)
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true;
  return false;
}

/** Reports whether a JSON text, valid or not, is nested too deeply. Reads the text once, without recursion. */
export function isTextTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) at += char === "\\" ? 1 : 0;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}
