import type { RequestUser } from "../user/user-info.ts";

/** Information about a service account, as contained in its tokens. */
export interface ServiceAccountInfo {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  readonly node?: { readonly name: string; readonly uid: string } | undefined;
  readonly tokenId?: string | undefined;
}

const prefix = "system:serviceaccount:";

/** Returns the user that a service account represents. @see apiserver pkg/authentication/serviceaccount ServiceAccountInfo.UserInfo */
export function serviceAccountUser({ namespace, name, uid, pod, node, tokenId }: ServiceAccountInfo): RequestUser {
  const extra = Object.fromEntries(
    [
      ["authentication.kubernetes.io/credential-id", tokenId && `JTI=${tokenId}`],
      ["authentication.kubernetes.io/node-name", node?.name],
      ["authentication.kubernetes.io/node-uid", node?.name && node.uid],
      ["authentication.kubernetes.io/pod-name", pod?.name],
      ["authentication.kubernetes.io/pod-uid", pod?.uid],
    ].flatMap(([key, value]) => (key && value ? [[key, [value]]] : [])),
  );
  return {
    name: `${prefix}${namespace}:${name}`,
    uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

export const serviceAccountGroups = (namespace: string): string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
];

/** Returns the service account to which a user name belongs, or `undefined` if it is not a service account's name. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(prefix)) return undefined;
  const [namespace, name, more] = user.slice(prefix.length).split(":");
  return namespace && name && more === undefined ? { namespace, name } : undefined;
}
