import type { Permission, ProgramDescription } from "../description/program-description.ts";

/** A call that the API server audited for the program's user. */
export interface ObservedCall {
  readonly group: string;
  /** The plural, and the subresource after a slash, if it is one. */
  readonly resource: string;
  readonly verb: string;
  /** Absent for calls that are about no single object. */
  readonly name?: string | undefined;
  /** Whether it was about no single namespace. Default: not known. */
  readonly isClusterWide?: boolean | undefined;
}

/** Verbs whose calls a name limits. */
const named = new Set(["get", "update", "patch", "delete"]);

/**
 * What the calls need. Where every call of a verb was about the same one object, of a kind that no controller is about, only that is
 * permitted. Sorted, so that it can be committed and compared.
 */
export function observedPermissions(
  calls: readonly ObservedCall[],
  { controllers }: Pick<ProgramDescription, "controllers">,
): Permission[] {
  const handled = new Set(
    controllers.flatMap((one) => [...(one.for ? [one.for] : []), ...one.owns, ...one.watches]).map(keyOf),
  );
  const byVerb = Map.groupBy(calls, ({ group, resource, verb }) => JSON.stringify([group, resource, verb]));
  return [...byVerb]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, same]) => {
      const [first] = same;
      if (!first) return [];
      const { group, resource, verb, name } = first;
      const [plural = ""] = resource.split("/");
      const isFixed = name !== undefined && named.has(verb) && same.every((call) => call.name === name);
      const isLimited = isFixed && !handled.has(keyOf({ group, plural }));
      return [{ group, resource, verbs: [verb], ...(isLimited ? { resourceNames: [name] } : {}) }];
    });
}

const keyOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string => `${plural}.${group}`;
