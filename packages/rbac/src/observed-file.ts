import type { Permission } from "@kubewright/apimachinery";

const note =
  "Written by tests with KUBEWRIGHT_RBAC=record: permissions that the program used. To remove unused ones, delete this file and record again.";

/** Formats observed permissions as the text of a file to commit. */
export const observedText = (permissions: readonly Permission[]): string =>
  `${JSON.stringify({ note, permissions }, undefined, 2)}\n`;

/**
 * Parses the output of {@link observedText}.
 *
 * @param path path of the file, for messages
 * @throws {Error} if the text is not valid; the message contains the invalid part
 */
export function parseObserved(text: string, path: string): Permission[] {
  const wrong = (what: string): Error => new Error(`${path}: ${what}; delete the file and record again`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
  const permissions =
    typeof value === "object" && value !== null && "permissions" in value ? value.permissions : undefined;
  if (!Array.isArray(permissions)) throw wrong("permissions must be a list");
  return permissions.map((one: unknown, i) => {
    if (!isPermission(one))
      throw wrong(`permissions[${i}]: ${JSON.stringify(one)}: must contain a group, a resource and a list of verbs`);
    if ([one.group, one.resource, ...one.verbs].some((text) => text.includes("*")))
      throw wrong(`permissions[${i}]: ${JSON.stringify(one)}: wildcards are never recorded`);
    return one;
  });
}

const isText = (value: unknown): value is string => typeof value === "string";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isPermission(value: unknown): value is Permission {
  if (typeof value !== "object" || value === null) return false;
  const { group, resource, verbs, resourceNames, scope, namespace }: Partial<Record<keyof Permission, unknown>> = value;
  const isPlaced = scope === undefined || scope === "Cluster" || scope === "Namespaced";
  const isWithin = namespace === undefined || isText(namespace);
  const isNamed = resourceNames === undefined || areTexts(resourceNames);
  return isText(group) && isText(resource) && areTexts(verbs) && isNamed && isPlaced && isWithin;
}
