import { internalError, type LabelSelectorSpec, labelSelectorFrom, notFound } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { AdmissionAttributes } from "./admission.ts";
import type { NamespaceLookup } from "./namespace-lifecycle.ts";

/** Selectors for the objects and namespaces that a webhook or policy matches. */
interface Selectors {
  readonly namespaceSelector?: LabelSelectorSpec | undefined;
  readonly objectSelector?: LabelSelectorSpec | undefined;
}

/**
 * Reports whether a request's namespace matches the namespace selector of a webhook or policy. If the object is a
 * Namespace, its own labels must match; other cluster-scoped objects always match.
 *
 * @throws {StatusError} 404 if the namespace does not exist
 *
 * @see apiserver pkg/admission/plugin/webhook/predicates/namespace
 */
export async function namespaceMatches(
  { namespaceSelector }: Selectors,
  { resource, subresource, namespace, operation, object }: AdmissionAttributes,
  lookup: NamespaceLookup,
): Promise<boolean> {
  const isNamespaces = resource.resource === "namespaces";
  if (namespace === "" && !isNamespaces) return true;
  const selector = readSelector(namespaceSelector);
  if (selector.isEmpty) return true;
  if (isNamespaces && subresource === "" && (operation === "CREATE" || operation === "UPDATE"))
    return selector.matches(object?.metadata.labels);
  const found = await lookup(namespace);
  if (!found) throw notFound({ group: "", resource: "namespaces" }, namespace);
  return selector.matches(found.metadata.labels);
}

/**
 * Reports whether the new or the old object matches the object selector of a webhook or policy.
 *
 * @see apiserver pkg/admission/plugin/webhook/predicates/object
 */
export function objectMatches({ objectSelector }: Selectors, { object, oldObject }: AdmissionAttributes): boolean {
  const selector = readSelector(objectSelector);
  if (selector.isEmpty) return true;
  const matches = (one: ReadonlyObject | undefined): boolean =>
    one?.metadata !== undefined && selector.matches(one.metadata.labels);
  return matches(object) || matches(oldObject);
}

function readSelector(spec: LabelSelectorSpec | undefined) {
  try {
    return labelSelectorFrom(spec ?? {});
  } catch (error) {
    throw internalError(error);
  }
}
