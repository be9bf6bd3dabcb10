/** Maximum number of characters that variables insert into texts. Linux accepts 2 MiB of arguments and variables. */
const longest = 2 * 1_024 * 1_024;

/**
 * Expands the variables in several texts, such as the words of a command.
 *
 * @throws {RangeError} if the variables insert more than 2 Mi characters in total
 */
export function expandAll(texts: readonly string[], env: ReadonlyMap<string, string>): string[] {
  let left = longest;
  return texts.map((text) => {
    const expanded = expand(text, env, undefined, left);
    left -= Math.max(0, expanded.length - text.length);
    return expanded;
  });
}

/**
 * Expands the variables in a string: replaces each `$(NAME)` with the variable's value, or leaves it unchanged if the variable does not
 * exist, and replaces `$$` with a dollar sign.
 *
 * @param missing called with each unknown name
 * @param most maximum number of characters that the variables may insert in total. Default: 2 Mi
 *
 * @throws {RangeError} if the variables insert more than `most` characters in total
 *
 * @see kubernetes third_party/forked/golang/expansion
 */
export function expand(
  text: string,
  env: ReadonlyMap<string, string>,
  missing: (name: string) => void = () => {},
  most: number = longest,
): string {
  // Opening parentheses after the last closing one are ignored, because each would cause a search to the end of the text.
  const end = text.lastIndexOf(")") + 1;
  let inserted = 0;
  const head = text.slice(0, end).replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = env.get(name);
    if (value === undefined) missing(name);
    inserted += value?.length ?? 0;
    if (inserted > most) throw new RangeError(`$(${name}) expands to more than ${longest} characters`);
    return value ?? found;
  });
  return head + text.slice(end).replaceAll("$$", () => "$");
}
