/**
 * Reports whether a pattern matches a whole text: `*` is any sequence of characters, `?` exactly one code point. The match is
 * case-sensitive. The number of steps is at most the product of both lengths.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [wanted, given] = [[...pattern], [...text]];
  let [p, t] = [0, 0];
  /** Position of the last `*`, and the end of the text that it matches. */
  let star: { readonly pattern: number; readonly text: number } | undefined;
  while (t < given.length) {
    if (wanted[p] === "*") star = { pattern: p++, text: t };
    else if (wanted[p] === "?" || (p < wanted.length && wanted[p] === given[t])) [p, t] = [p + 1, t + 1];
    else if (star) {
      star = { pattern: star.pattern, text: star.text + 1 };
      [p, t] = [star.pattern + 1, star.text];
    } else return false;
  }
  while (wanted[p] === "*") p++;
  return p === wanted.length;
}
