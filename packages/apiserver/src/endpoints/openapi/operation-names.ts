/** Returns an identifier, formed as in upstream: letters, digits and `_`, with capitals after other characters. */
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

/** Returns `AppsV1` or `RbacAuthorizationV1`, the part of operation names between verb and kind. */
export const groupVersionInNames = (group: string, version = ""): string =>
  `${camelCase(shortGroup(group), true)}${version === "" ? "" : camelCase(version, true)}`;

/** Returns `apps_v1` or `rbacAuthorization_v1`, the tag of operations. */
export const tagOf = (group: string, version = ""): string =>
  `${camelCase(shortGroup(group), false)}${version === "" ? "" : `_${version}`}`;

/** Capitalizes `portforward` as in `connectCoreV1GetNamespacedPodPortforward`. */
export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
