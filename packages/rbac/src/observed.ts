import type { Permission } from "@kubewright/apimachinery";
import type { ProgramDescription } from "./program-description.ts";

/** A request that the program sent, as recorded in the API server's audit log. */
export interface ObservedCall {
  readonly group: string;
  /** Plural name, with the subresource after a slash. */
  readonly resource: string;
  readonly verb: string;
  /** Name of the object; undefined if the request does not target an individual object. */
  readonly name?: string | undefined;
  /** True if the request was not limited to a namespace. Default: unknown. */
  readonly isClusterWide?: boolean | undefined;
}

/** Verbs of requests that concern a single object. */
const named = new Set(["get", "update", "patch", "delete"]);

/**
 * Returns the permissions that requests need, sorted so that they can be committed and compared. If all requests with
 * the same verb target one object, and its kind has no controller, the permission is limited to that object.
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
