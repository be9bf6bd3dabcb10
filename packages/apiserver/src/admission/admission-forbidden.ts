import { forbidden, type StatusError } from "@kubewright/apimachinery";
import type { AdmissionAttributes } from "./admission.ts";

/**
 * Returns the 403 error with which an admission plugin rejects a request. If the object has no name yet, the error contains its
 * `generateName`.
 *
 * @see apiserver pkg/admission NewForbidden
 */
export function admissionForbidden(attributes: AdmissionAttributes, cause: string): StatusError {
  const { resource, name, object } = attributes;
  return forbidden(resource, name || object?.metadata.name || object?.metadata.generateName || "Unknown", cause);
}

/** Joins several messages into one string, without duplicates. @see apimachinery util/errors NewAggregate */
export function aggregateText(complaints: readonly string[]): string {
  const each = [...new Set(complaints)];
  return each.length === 1 ? (each[0] ?? "") : `[${each.join(", ")}]`;
}
