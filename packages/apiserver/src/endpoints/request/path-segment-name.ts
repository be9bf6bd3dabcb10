import { badRequest, isPathSegmentName, quote } from "@kubewright/apimachinery";

/**
 * Checks that a name can be a segment of a URL path.
 *
 * @throws {StatusError} 400 if it cannot
 *
 * @see apiserver pkg/registry/generic/registry NamespaceKeyFunc
 */
export function checkSegmentName(name: string): void {
  const problems = isPathSegmentName(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(";")}`);
}
