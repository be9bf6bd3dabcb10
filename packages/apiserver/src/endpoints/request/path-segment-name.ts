import { badRequest, isPathSegmentName, quote } from "@kubewright/apimachinery";

/**
 * Names that could not stand in a URL name nothing, wherever they come from.
 *
 * @throws {StatusError} 400
 * @see apiserver pkg/registry/generic/registry NamespaceKeyFunc
 */
export function checkSegmentName(name: string): void {
  const problems = isPathSegmentName(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(";")}`);
}
