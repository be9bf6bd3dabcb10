import { isPathSegmentName, parseFieldSelector, parseLabelSelector } from "@kubewright/apimachinery";
import type { AuthorizationAttributes, SelectorRequirement } from "../../authorization/authorizer.ts";
import type { ApiRequest } from "../../endpoints/request/api-request.ts";

/** Verbs whose requests can have selectors. */
const selecting: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

/**
 * Returns a request's attributes for authorizers. If the field selector of a list or watch request selects a single
 * name, the attributes contain this name, unless the verb is in the path or a parameter cannot be parsed.
 */
export function authorizationAttributes({ user, info, query }: ApiRequest): AuthorizationAttributes {
  const { isResourceRequest, verb, path, group, version, resource, subresource, namespace } = info;
  const { name } = info;
  const attributes = { user, verb, isResourceRequest, path, group, version, resource, subresource, namespace, name };
  if (!selecting.has(verb) || info.verbInPath) return attributes;
  const [fields, labels] = [query.get("fieldSelector"), query.get("labelSelector")];
  const fieldSelector = fields ? readFieldSelector(fields) : undefined;
  const labelSelector = labels ? readLabelSelector(labels) : undefined;
  return {
    ...attributes,
    name: name || (fieldSelector && verb !== "deletecollection" && isReadable(query) ? nameIn(fieldSelector) : ""),
    ...(fieldSelector?.length ? { fieldSelector } : {}),
    ...(labelSelector?.length ? { labelSelector } : {}),
  };
}

function nameIn(selector: readonly SelectorRequirement[]): string {
  const found = selector.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  const name = found?.values?.[0] ?? "";
  return isPathSegmentName(name).length === 0 ? name : "";
}

/** Reports whether all parameters of a list can be parsed. */
function isReadable(query: URLSearchParams): boolean {
  const labels = query.get("labelSelector");
  if (labels && !readLabelSelector(labels)) return false;
  return ["limit", "timeoutSeconds"].every((name) => /^([+-]?\d+)?$/.test(query.get(name) ?? ""));
}

/**
 * Returns the requirements in a field selector, sorted by their text. Returns `undefined` if the selector cannot be
 * parsed; the handler rejects it later.
 */
export function readFieldSelector(text: string): readonly SelectorRequirement[] | undefined {
  const sortKey = ({ field, operator, value }: { field: string; operator: string; value: string }): string =>
    `${field}${operator}${value}`;
  try {
    return parseFieldSelector(text)
      .requirements.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
      .map(({ field, operator, value }) => ({
        key: field,
        operator: operator === "!=" ? "NotIn" : "In",
        values: [value],
      }));
  } catch {
    return undefined;
  }
}

/** Returns the requirements in a label selector. Omits numeric comparisons, because authorizers do not support them. */
export function readLabelSelector(text: string): readonly SelectorRequirement[] | undefined {
  try {
    return parseLabelSelector(text).requirements.flatMap(({ key, operator, values }): SelectorRequirement[] => {
      const known = labelOperators[operator];
      if (!known) return [];
      return [{ key, operator: known, ...(known === "In" || known === "NotIn" ? { values: [...values] } : {}) }];
    });
  } catch {
    return undefined;
  }
}

const labelOperators: Readonly<Record<string, SelectorRequirement["operator"]>> = {
  "=": "In",
  "==": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};
