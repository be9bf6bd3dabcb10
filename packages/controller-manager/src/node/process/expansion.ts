/**
 * `$(NAME)` with the variable's value, as it is where there is no such variable; `$$` is a dollar sign.
 *
 * @param missing called with each name that no variable has
 * @see kubernetes third_party/forked/golang/expansion
 */
export function expand(
  text: string,
  env: ReadonlyMap<string, string>,
  missing: (name: string) => void = () => {},
): string {
  // Behind the last that closes, none that opens is looked at: each would be sought an end for, to the end of the text.
  const end = text.lastIndexOf(")") + 1;
  const head = text.slice(0, end).replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = env.get(name);
    if (value === undefined) missing(name);
    return value ?? found;
  });
  return head + text.slice(end).replaceAll("$$", () => "$");
}
