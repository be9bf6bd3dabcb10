import { UnsupportedScript } from "./script.ts";

/** Evaluates integer arithmetic with `+ - * / %` and the usual precedence. */
export function arithmetic(text: string, variable: (name: string) => string): number {
  const tokens = text.match(/\$?\w+|[-+*/%]/g) ?? [];
  const numbers = tokens
    .filter((_, i) => i % 2 === 0)
    .map((token) => Number(/^\d+$/.test(token) ? token : variable(token.replace("$", "")) || "0"));
  const signs = tokens.filter((_, i) => i % 2 === 1);
  if (numbers.length !== signs.length + 1 || numbers.some(Number.isNaN)) throw new UnsupportedScript(`(( ${text} ))`);
  let sum = 0;
  let [term = 0] = numbers;
  for (const [i, sign] of signs.entries()) {
    const next = numbers[i + 1] ?? 0;
    if (sign === "*") term *= next;
    else if (sign === "/") term = Math.trunc(term / next);
    else if (sign === "%") term %= next;
    else {
      sum += term;
      term = sign === "-" ? -next : next;
    }
  }
  return sum + term;
}
