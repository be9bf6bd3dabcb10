/** How a CNF answers a request, other than it should. */
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

/** Faults before the CNF has done anything; with the others it does what it was asked for, and says something else. */
export const before: ReadonlySet<CnfFault> = new Set([
  "hangs",
  "drops",
  "serverError",
  "unauthorized",
  "forbidden",
  "echo",
]);

/** The body of an answer that is not what it should be. */
export function spoiltBody(fault: CnfFault, body: string): string {
  if (fault === "garbage") return "\u0000\u0001not json at all {{{";
  if (fault === "page") return "<html><body>502 Bad Gateway</body></html>";
  if (fault === "truncated") return body.slice(0, Math.floor(body.length / 2));
  if (fault === "wrongTypes") return wronglyTyped(body);
  return "";
}

/** The same members with other types of values. */
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
