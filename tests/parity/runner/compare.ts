import { isDeepStrictEqual } from "node:util";

export interface Difference {
  /** Such as `status`, `headers.warning`, `body.spec.replicas`, `body.items[0].metadata`. */
  readonly path: string;
  readonly real: unknown;
  readonly ours: unknown;
}

/** Returns the differences of two normalized answers. The bodies of a success and a failure differ as a whole. */
export function compareSteps(real: unknown, ours: unknown): Difference[] {
  if (!isRecord(real) || !isRecord(ours) || real.status === ours.status) return compareResponses(real, ours);
  return Object.keys({ ...real, ...ours })
    .filter((name) => !isDeepStrictEqual(real[name], ours[name]))
    .map((name) => ({ path: name, real: real[name], ours: ours[name] }));
}

/** Returns the differences of two values, at the deepest positions that both have. The order of members does not matter. */
export function compareResponses(real: unknown, ours: unknown, path = ""): Difference[] {
  if (isDeepStrictEqual(real, ours)) return [];
  if (Array.isArray(real) && Array.isArray(ours) && real.length === ours.length)
    return real.flatMap((item, index) => compareResponses(item, ours[index], `${path}[${index}]`));
  if (isRecord(real) && isRecord(ours))
    return [...new Set([...Object.keys(real), ...Object.keys(ours)])].flatMap((name) =>
      compareResponses(real[name], ours[name], path === "" ? name : `${path}.${name}`),
    );
  return [{ path, real, ours }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function describeDifference({ path, real, ours }: Difference): string {
  return `  ${path}\n    real ${JSON.stringify(real)}\n    ours ${JSON.stringify(ours)}`;
}
