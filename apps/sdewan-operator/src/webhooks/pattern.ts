/**
 * Reports whether a pattern matches an entire string: `*` matches any sequence of characters, `?` matches exactly one code point. Matching
 * is case-sensitive. The number of steps is at most the product of the two lengths.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [glob, characters] = [[...pattern], [...text]];
  let [p, t] = [0, 0];
  /** Position of the last `*`, and the end of the text that it matches. */
  let star: { readonly pattern: number; readonly text: number } | undefined;
  while (t < characters.length) {
    if (glob[p] === "*") star = { pattern: p++, text: t };
    else if (glob[p] === "?" || (p < glob.length && glob[p] === characters[t])) [p, t] = [p + 1, t + 1];
    else if (star) {
      star = { pattern: star.pattern, text: star.text + 1 };
      [p, t] = [star.pattern + 1, star.text];
    } else return false;
  }
  while (glob[p] === "*") p++;
  return p === glob.length;
}
