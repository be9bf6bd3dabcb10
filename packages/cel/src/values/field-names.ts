const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const signs: Readonly<Record<string, string>> = { __: "underscores", ".": "dot", "-": "dash", "/": "slash" };

/**
 * Returns the name of an object's field in expressions (such as `__namespace__` or `a__dash__b`), or `undefined` if expressions cannot
 * refer to the field.
 *
 * @see apiserver pkg/cel/escaping.go
 */
export function escapeFieldName(name: string): string | undefined {
  if (name === "" || /^\d/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (sign) => `__${signs[sign]}__`);
}
