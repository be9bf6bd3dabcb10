import { internalError, type LabelSelectorSpec, labelSelectorFrom, notFound } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { AdmissionAttributes } from "./admission.ts";
import type { NamespaceLookup } from "./namespace-lifecycle.ts";

/** Which objects, and in which namespaces, a webhook or policy is about. */
interface Selectors {
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
}

/**
 * Whether the labels of the request's namespace are selected. Objects of the cluster are never left out, but for namespaces, whose own
 * labels count.
 *
 * @throws {StatusError} 404 where the namespace is not there
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

/** Whether the object is selected, as it is to become or as it was. @see apiserver pkg/admission/plugin/webhook/predicates/object */
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
