/** Wrong answers of a CNF to a request. */
export const cnfFaults = [
  "late",
  "hangs",
  "hangsAfterwards",
  "drops",
  "dropsAfterwards",
  "serverError",
  "serverErrorAfterwards",
  "unauthorized",
  "forbidden",
  "echo",
  "garbage",
  "page",
  "truncated",
  "wrongTypes",
  "empty",
  "huge",
] as const;
export type CnfFault = (typeof cnfFaults)[number];

/** Faults that occur before the CNF does anything. With the others, it performs the request, but gives a wrong answer. */
export const before: ReadonlySet<CnfFault> = new Set([
  "hangs",
  "drops",
  "serverError",
  "unauthorized",
  "forbidden",
  "echo",
]);

/** Returns a corrupted body. */
export function spoiltBody(fault: CnfFault, body: string): string {
  if (fault === "garbage") return "\u0000\u0001not json at all {{{";
  if (fault === "page") return "<html><body>502 Bad Gateway</body></html>";
  if (fault === "truncated") return body.slice(0, Math.floor(body.length / 2));
  if (fault === "wrongTypes") return wronglyTyped(body);
  return "";
}

/** Returns the same members with values of other types. */
function wronglyTyped(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null) return "5";
    const members = Object.entries(value).map(([name, member]) => [name, Array.isArray(member) ? { 0: member[0] } : 7]);
    return JSON.stringify(Object.fromEntries(members));
  } catch {
    return "[[]]";
  }
}
