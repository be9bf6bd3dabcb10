/**
 * Converts text to an identifier in the same way as upstream: keeps letters, digits and `_`, and capitalizes each letter that follows
 * another character.
 */
function camelCase(text: string, capitalizeFirst: boolean): string {
  let capitalize = capitalizeFirst;
  let result = "";
  for (const [index, letter] of [...text].entries()) {
    if (!/[\p{L}_]/u.test(letter) && !(index !== 0 && /\d/.test(letter))) {
      capitalize = true;
      continue;
    }
    result += capitalize ? letter.toUpperCase() : letter;
    capitalize = false;
  }
  return result;
}

const shortGroup = (group: string): string => (group === "" ? "core" : group.replace(/\.k8s\.io$/, ""));

/** Returns the part of operation names between the verb and the kind, such as `AppsV1` or `RbacAuthorizationV1`. */
export const groupVersionInNames = (group: string, version = ""): string =>
  `${camelCase(shortGroup(group), true)}${version === "" ? "" : camelCase(version, true)}`;

/** Returns the tag of a group version's operations, such as `apps_v1` or `rbacAuthorization_v1`. */
export const tagOf = (group: string, version = ""): string =>
  `${camelCase(shortGroup(group), false)}${version === "" ? "" : `_${version}`}`;

/** Capitalizes a word for an operation name, such as `portforward` in `connectCoreV1GetNamespacedPodPortforward`. */
export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
