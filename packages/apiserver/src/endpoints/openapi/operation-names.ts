/** As upstream makes identifiers of any text: letters, digits and `_`, capital after everything else. */
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

/** `AppsV1`, `RbacAuthorizationV1`: stands in the operations' names between verb and kind. */
export const groupVersionInNames = (group: string, version = ""): string =>
  `${camelCase(shortGroup(group), true)}${version === "" ? "" : camelCase(version, true)}`;

/** `apps_v1`, `rbacAuthorization_v1`: what operations are tagged with. */
export const tagOf = (group: string, version = ""): string =>
  `${camelCase(shortGroup(group), false)}${version === "" ? "" : `_${version}`}`;

/** `portforward` as in `connectCoreV1GetNamespacedPodPortforward`. */
export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
