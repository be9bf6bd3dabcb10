import fc from "fast-check";
import { changed, insteadOf, places, valueAt } from "./one-thing-wrong.ts";
import { templates } from "./templates/all-templates.ts";
import type { Template } from "./templates/template.ts";

/** A request that changes nothing, so that the order of requests does not matter. */
export interface ComparedRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  /** The change to the template. */
  readonly change: string;
}

/** Placeholder for the current version of the object on the requested server. */
export const currentVersion = "resource-version-of-the-object";

const ways = [
  "POST",
  "POST",
  "POST",
  "PUT",
  "PUT",
  "merge",
  "strategic",
  "json",
  "apply",
  "status",
  "statusPatch",
] as const;

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

/** Returns the shortest merge patch for a change. Lists are replaced as a whole. */
function mergePatch(whole: unknown, after: unknown, path: readonly string[]): unknown {
  const list = path.findIndex((_, i) => Array.isArray(valueAt(whole, path.slice(0, i))));
  const to = list < 0 ? path : path.slice(0, list);
  return nested(to, valueAt(after, to) ?? null);
}

const pointer = (path: readonly string[]): string =>
  path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

function requestOf(
  template: Template,
  way: (typeof ways)[number],
  path: readonly string[],
  to: unknown,
  validation: string,
): ComparedRequest {
  const { collection, object } = template;
  const one = `${collection}/${object.metadata.name}`;
  const query = `?dryRun=All&fieldManager=fuzz&fieldValidation=${validation}`;
  const whole = changed(object, path, to);
  const change = `${path.join(".")} = ${JSON.stringify(to)?.slice(0, 80)}`;
  const request = (method: string, where: string, contentType: string, body: unknown): ComparedRequest => ({
    method,
    path: where,
    contentType: `application/${contentType}`,
    body: JSON.stringify(body) ?? "null",
    change,
  });
  const versioned = (body: unknown): unknown => changed(body, ["metadata", "resourceVersion"], currentVersion);
  const isObject = typeof valueAt(whole, ["metadata"]) === "object" && valueAt(whole, ["metadata"]) !== null;
  switch (way) {
    case "POST":
      return request("POST", collection + query, "json", path[1] === "name" ? whole : changedName(whole));
    case "PUT":
      return request("PUT", one + query, "json", isObject ? versioned(whole) : whole);
    case "merge":
      return request("PATCH", one + query, "merge-patch+json", mergePatch(object, whole, path));
    case "strategic":
      return request("PATCH", one + query, "strategic-merge-patch+json", mergePatch(object, whole, path));
    case "json":
      return request("PATCH", one + query, "json-patch+json", [
        to === undefined ? { op: "remove", path: pointer(path) } : { op: "replace", path: pointer(path), value: to },
      ]);
    case "apply":
      return request("PATCH", `${one}${query}&force=true`, "apply-patch+yaml", identified(template, whole));
    default: {
      const status = template.status ?? { conditions: [] };
      const known = places({ status }).filter((each) => each.length > 0);
      const at = known[path.length * 7 + JSON.stringify(to ?? 0).length] ?? known[0] ?? [];
      const body = changed({ ...object, status }, at, to);
      return way === "status"
        ? { ...request("PUT", `${one}/status${query}`, "json", versioned(body)), change: `${at.join(".")} ${change}` }
        : request("PATCH", `${one}/status${query}`, "merge-patch+json", mergePatch({ status }, body, at));
    }
  }
}

/** Returns an unused name, unless the name itself was changed. */
function changedName(whole: unknown): unknown {
  const name = valueAt(whole, ["metadata", "name"]);
  if (typeof name !== "string" || /^[\dv]|\./.test(name)) return whole;
  return changed(whole, ["metadata", "name"], `${name}-new`);
}

/** Returns the object with its apiVersion and kind, as an apply requires. */
export function identified({ collection, object }: Template, whole: unknown): unknown {
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return whole;
  const [, root, first = "", second = ""] = collection.split("/");
  return {
    apiVersion: root === "api" ? first : `${first}/${second}`,
    kind: kinds.get(collection.slice(collection.lastIndexOf("/") + 1)) ?? object.kind,
    ...whole,
  };
}

/** Map from resource to kind, filled from discovery by the driver. */
export const kinds = new Map<string, string>();

const chosen = process.env.FUZZ_ONLY
  ? templates.filter(({ collection }) => new RegExp(process.env.FUZZ_ONLY ?? "").test(collection))
  : templates;

/** Requests for objects of every kind with at most one error. */
export const comparedRequest: fc.Arbitrary<ComparedRequest> = fc
  .record({
    template: fc.constantFrom(...chosen),
    place: fc.nat(),
    way: fc.constantFrom(...ways),
    validation: fc.constantFrom("Strict", "Strict", "Warn", "Ignore"),
  })
  .chain(({ template, place, way, validation }) => {
    const known = places(template.object);
    const path = known[place % known.length] ?? [];
    return insteadOf(valueAt(template.object, path)).map((to) => requestOf(template, way, path, to, validation));
  });
