/**
 * Expands the variables in a text: replaces each `$(NAME)` with the variable's value, or leaves it unchanged if the variable does not
 * exist, and replaces `$$` with a dollar sign.
 *
 * @param missing called with each unknown name
 *
 * @see kubernetes third_party/forked/golang/expansion
 */
export function expand(
  text: string,
  env: ReadonlyMap<string, string>,
  missing: (name: string) => void = () => {},
): string {
  // Opening parentheses after the last closing one are ignored, because each would cause a search to the end of the text.
  const end = text.lastIndexOf(")") + 1;
  const head = text.slice(0, end).replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = env.get(name);
    if (value === undefined) missing(name);
    return value ?? found;
  });
  return head + text.slice(end).replaceAll("$$", () => "$");
}
