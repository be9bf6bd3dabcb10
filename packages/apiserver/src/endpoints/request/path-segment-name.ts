import { badRequest, isPathSegmentName, quote } from "@kubewright/apimachinery";

/**
 * Rejects names that cannot be part of a URL.
 *
 * @throws {StatusError} 400
 *
 * @see apiserver pkg/registry/generic/registry NamespaceKeyFunc
 */
export function checkSegmentName(name: string): void {
  const problems = isPathSegmentName(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(";")}`);
}
