import { badRequest } from "@kubewright/apimachinery";
import { type AuthorizationAttributes, type Authorizer, forbiddenRequest } from "../authorization/authorizer.ts";
import type { ApiRequest } from "../endpoints/api-request.ts";
import type { UserInfo } from "../registry/strategy.ts";

const extraPrefix = "impersonate-extra-";
const serviceAccountPrefix = "system:serviceaccount:";

/**
 * Whom the request acts as: the user that is impersonated, or the one who sent it.
 *
 * @throws {StatusError} 400 for groups without a user, 403 where the sender may not impersonate
 * @see apiserver pkg/endpoints/filters WithImpersonation
 */
export async function impersonatedUser(request: ApiRequest, authorize: Authorizer): Promise<UserInfo> {
  const { user, incoming } = request;
  const name = request.header("impersonate-user");
  const groups = listHeader(incoming.rawHeaders, "impersonate-group");
  const uid = request.header("impersonate-uid");
  const extra = extraHeaders(incoming.rawHeaders);
  if (!name) {
    if (groups.length === 0 && !uid && Object.keys(extra).length === 0) return user;
    request.response.setHeader("X-Content-Type-Options", "nosniff");
    throw badRequest(
      `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid ?? "")}, Groups:[]string{${groups.map((group) => JSON.stringify(group)).join(", ")}}, Extra:map[string][]string(nil)} without impersonating a user name`,
    );
  }
  const check = async (
    resource: string,
    value: string,
    place: Partial<AuthorizationAttributes> = {},
  ): Promise<void> => {
    const attributes = { ...impersonation, ...place, user, resource, name: value };
    const { decision, reason } = await authorize(attributes);
    if (decision === "allow") return;
    request.response.setHeader("X-Content-Type-Options", "nosniff");
    throw forbiddenRequest(attributes, reason);
  };
  const account = serviceAccountOf(name);
  if (account) await check("serviceaccounts", account.name, { namespace: account.namespace });
  else await check("users", name);
  for (const group of groups) await check("groups", group);
  if (uid) await check("uids", uid, authenticationGroup);
  for (const [key, values] of Object.entries(extra))
    for (const value of values) await check("userextras", value, { ...authenticationGroup, subresource: key });
  const given =
    groups.length > 0 || !account ? groups : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
  const everybody = name === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  return {
    name,
    groups: given.includes(everybody) ? given : [...given, everybody],
    ...(uid ? { uid } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

const impersonation = {
  verb: "impersonate",
  isResourceRequest: true,
  path: "",
  group: "",
  version: "v1",
  subresource: "",
  namespace: "",
} as const;
const authenticationGroup = { group: "authentication.k8s.io" } as const;

function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace, name, more] = user.slice(serviceAccountPrefix.length).split(":");
  return namespace && name && more === undefined ? { namespace, name } : undefined;
}

/** Every value of a header that may be repeated. Node joins such headers, so the raw list is read. */
function listHeader(rawHeaders: readonly string[], wanted: string): string[] {
  return pairs(rawHeaders).flatMap(([name, value]) => (name === wanted ? [value] : []));
}

function extraHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [name, value] of pairs(rawHeaders)) {
    if (!name.startsWith(extraPrefix)) continue;
    const key = decodeURIComponent(name.slice(extraPrefix.length));
    extra[key] = [...(extra[key] ?? []), value];
  }
  return extra;
}

function pairs(rawHeaders: readonly string[]): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    found.push([(rawHeaders[i] ?? "").toLowerCase(), rawHeaders[i + 1] ?? ""]);
  return found;
}
