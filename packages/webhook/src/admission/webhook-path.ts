import type { GroupVersionKind } from "@kubewright/apimachinery";

const pathOf = (verb: string, { group, version, kind }: GroupVersionKind): string =>
  `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;

/** Returns the path of a kind's mutating webhook, such as `/mutate-shop-example-com-v1-site`. */
export const mutatePath = (kind: GroupVersionKind): string => pathOf("mutate", kind);

/** Returns the path of a kind's validating webhook, such as `/validate-shop-example-com-v1-site`. */
export const validatePath = (kind: GroupVersionKind): string => pathOf("validate", kind);

const valid = /^(?:(?:\/[a-zA-Z0-9_-]+)+|\/)$/;

/** Validates and returns a path. @throws {Error} if the path cannot be served */
export function checkedPath(path: string): string {
  if (!valid.test(path))
    throw new Error(
      `the webhook path "${path}" must consist of segments of letters, digits, "-" and "_", each preceded by a slash: ${valid.source}`,
    );
  return path;
}
