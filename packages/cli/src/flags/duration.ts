import { quote } from "@kubewright/apimachinery";

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** A duration as Go reads one (`1h15m30.5s`), in milliseconds; or what is wrong with it, in Go's words. */
export function parseDuration(text: string): { readonly ms: number } | { readonly error: string } {
  const invalid = { error: `time: invalid duration ${quote(text)}` };
  const sign = text.startsWith("-") ? -1 : 1;
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return { ms: 0 };
  if (rest === "") return invalid;
  let ms = 0;
  while (rest !== "") {
    const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) return invalid;
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)?.[0] ?? "";
    if (unit === "") return { error: `time: missing unit in duration ${quote(text)}` };
    const factor = unitMs[unit];
    if (factor === undefined) return { error: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` };
    ms += Number(number) * factor;
    rest = rest.slice(unit.length);
  }
  return { ms: sign * ms };
}
