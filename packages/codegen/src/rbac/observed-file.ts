import type { Permission } from "../description/program-description.ts";

const note =
  "Written by tests that ran with KUBEWRIGHT_RBAC=record: what they saw the program do. Remove it and record again to forget what is no longer done.";

/** Observed permissions as a file to commit. */
export const observedText = (permissions: readonly Permission[]): string =>
  `${JSON.stringify({ note, permissions }, undefined, 2)}\n`;

/**
 * What {@link observedText} wrote.
 *
 * @param path for messages
 * @throws {Error} naming what cannot be read
 */
export function parseObserved(text: string, path: string): Permission[] {
  const wrong = (what: string): Error => new Error(`${path}: ${what}: remove the file and record again`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
  const permissions =
    typeof value === "object" && value !== null && "permissions" in value ? value.permissions : undefined;
  if (!Array.isArray(permissions)) throw wrong("permissions: must be a list");
  return permissions.map((one: unknown, i) => {
    if (!isPermission(one))
      throw wrong(`permissions[${i}]: ${JSON.stringify(one)}: want a group, a resource and a list of verbs`);
    if ([one.group, one.resource, ...one.verbs].some((text) => text.includes("*")))
      throw wrong(`permissions[${i}]: ${JSON.stringify(one)}: no program was seen doing everything`);
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
