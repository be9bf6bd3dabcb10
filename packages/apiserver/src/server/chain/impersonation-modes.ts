import { isDns1123Label, isDns1123Subdomain, quote } from "@kubewright/apimachinery";
import { serviceAccountGroups, serviceAccountOf } from "../../authentication/service-account/service-account-user.ts";
import type { RequestUser } from "../../authentication/user/user-info.ts";
import type { AuthorizationAttributes, Authorizer } from "../../authorization/authorizer.ts";

/** The user whom a request asks to impersonate. */
export interface ImpersonatedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

type Verdict =
  | { readonly user: RequestUser }
  | { readonly refused: AuthorizationAttributes; readonly reason?: string | undefined };

/**
 * A mode of impersonation. Decides whether the sender is allowed to impersonate a user. Returns `undefined` if the mode
 * does not apply to this user.
 */
export type ImpersonationMode = (
  wanted: ImpersonatedUser,
  attributes: AuthorizationAttributes,
) => Promise<Verdict | undefined>;

/**
 * Returns the modes of impersonation, in the order in which they are tried. The constrained modes come first: they
 * require permission to impersonate the user (`impersonate:<mode>`), and permission to perform the particular action as
 * that user (`impersonate-on:<mode>:<verb>`). The original mode comes last, and permits every action.
 *
 * @see apiserver pkg/endpoints/filters/impersonation mode.go
 */
export function impersonationModes(authorize: Authorizer): readonly ImpersonationMode[] {
  const constrained =
    (mode: string, suits: (wanted: ImpersonatedUser, sender: RequestUser) => boolean): ImpersonationMode =>
    async (wanted, attributes) => {
      if (!suits(wanted, attributes.user)) return undefined;
      const first = { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` };
      return (await refusalOf(authorize, mode, first)) ?? become(authorize, wanted, attributes.user, mode);
    };
  return [
    constrained("associated-node", isOwnNode),
    constrained("arbitrary-node", (wanted) => onlyNamed(wanted) && nodeOf(wanted.name) !== undefined),
    constrained("serviceaccount", (wanted) => onlyNamed(wanted) && accountOf(wanted.name) !== undefined),
    constrained("user-info", ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined),
    (wanted, { user }) => become(authorize, wanted, user, undefined),
  ];
}

/**
 * Checks that the sender may impersonate each part of the requested user (such as name and groups), and returns the user. If `mode` is
 * absent, this is the original mode.
 */
async function become(
  authorize: Authorizer,
  wanted: ImpersonatedUser,
  sender: RequestUser,
  mode: string | undefined,
): Promise<Verdict> {
  const verb = mode === undefined ? "impersonate" : `impersonate:${mode}`;
  const group = mode === undefined ? "" : authenticationGroup;
  const about = (resource: string, name: string, more: Partial<AuthorizationAttributes> = {}) => ({
    ...nothing,
    user: sender,
    verb,
    group,
    resource,
    name,
    ...more,
  });
  const checks = [
    nameCheck(wanted.name, mode, about),
    ...(wanted.uid === "" ? [] : [about("uids", wanted.uid, { group: authenticationGroup })]),
    ...wanted.groups.map((name) => about("groups", name)),
    ...Object.entries(wanted.extra).flatMap(([key, values]) =>
      values.map((value) => about("userextras", value, { group: authenticationGroup, subresource: key })),
    ),
  ];
  const prohibited = mode === undefined ? undefined : prohibition(wanted, about);
  for (const attributes of checks) {
    if (prohibited && attributes.resource === prohibited.refused.resource) return prohibited;
    const refusal = await refusalOf(authorize, mode, attributes);
    if (refusal) return refusal;
  }
  return { user: userOf(wanted, mode) };
}

const authenticationGroup = "authentication.k8s.io";
const nothing = { isResourceRequest: true, path: "", version: "v1", subresource: "", namespace: "" } as const;

type About = (resource: string, name: string, more?: Partial<AuthorizationAttributes>) => AuthorizationAttributes;

function nameCheck(name: string, mode: string | undefined, about: About): AuthorizationAttributes {
  const node = mode === undefined ? undefined : nodeOf(name);
  if (node !== undefined) return about("nodes", node);
  const account = accountOf(name);
  return account ? about("serviceaccounts", account.name, { namespace: account.namespace }) : about("users", name);
}

/** Returns the reason why a user can never be impersonated in a constrained mode, regardless of permissions. */
function prohibition(
  { groups, extra }: ImpersonatedUser,
  about: About,
): { readonly refused: AuthorizationAttributes; readonly reason: string } | undefined {
  if (groups.includes(""))
    return { refused: about("groups", ""), reason: "impersonating the empty string group is not allowed" };
  if (groups.includes("system:masters"))
    return {
      refused: about("groups", "system:masters"),
      reason: "impersonating the system:masters group is not allowed",
    };
  for (const [key, values] of Object.entries(extra)) {
    const reason = extraProblem(key, values);
    if (reason !== undefined) return { refused: about("userextras", "", { group: authenticationGroup }), reason };
  }
  return undefined;
}

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === "") return "impersonating the empty string key in extra is not allowed";
  const invalid = "impersonating an invalid key in extra is not allowed: extra.key: Invalid value";
  const slash = key.indexOf("/");
  if (slash < 0 || key.endsWith("/"))
    return `${invalid}: ${quote(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
  const [problem] = isDns1123Subdomain(key.slice(0, slash));
  if (problem !== undefined) return `${invalid}: ${quote(key.slice(0, slash))}: ${problem}`;
  if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  return undefined;
}

async function refusalOf(
  authorize: Authorizer,
  mode: string | undefined,
  given: AuthorizationAttributes,
): Promise<Verdict | undefined> {
  const attributes = mode === "associated-node" ? withoutNode(given) : given;
  const { decision, reason, error } = await authorize(attributes);
  if (decision === "allow") return undefined;
  return { refused: attributes, reason: error ? (reason ? `${error}: ${reason}` : error) : reason };
}

/** Removes the node from attributes, so that a node agent is authorized in the same way on every node. */
function withoutNode(attributes: AuthorizationAttributes): AuthorizationAttributes {
  const keys = Object.keys(attributes.user.extra ?? {}).sort();
  const user = { ...attributes.user, extra: { "authentication.kubernetes.io/associated-node-keys": keys } };
  return { ...attributes, user, ...(attributes.verb === "impersonate:associated-node" ? { name: "*" } : {}) };
}

function userOf({ name, uid, groups, extra }: ImpersonatedUser, mode: string | undefined): RequestUser {
  const given = [...groups];
  const account = accountOf(name);
  if (groups.length === 0 && account) given.push(...serviceAccountGroups(account.namespace));
  if (mode !== undefined && nodeOf(name) !== undefined) given.push("system:nodes");
  const everybody = name === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  const isKnown = given.includes(everybody) || given.includes("system:unauthenticated");
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: isKnown ? given : [...given, everybody],
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

const onlyNamed = ({ uid, groups, extra }: ImpersonatedUser): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0;

function isOwnNode(wanted: ImpersonatedUser, sender: RequestUser): boolean {
  const node = nodeOf(wanted.name);
  const own = sender.extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return onlyNamed(wanted) && node !== undefined && accountOf(sender.name) !== undefined && own.join() === node;
}

const nodePrefix = "system:node:";

function nodeOf(user: string): string | undefined {
  if (!user.startsWith(nodePrefix)) return undefined;
  const name = user.slice(nodePrefix.length);
  return isDns1123Subdomain(name).length === 0 ? name : undefined;
}

function accountOf(user: string): ReturnType<typeof serviceAccountOf> {
  const account = serviceAccountOf(user);
  if (!account || isDns1123Label(account.namespace).length > 0) return undefined;
  return isDns1123Subdomain(account.name).length > 0 ? undefined : account;
}
