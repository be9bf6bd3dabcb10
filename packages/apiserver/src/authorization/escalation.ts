import { quote, quoteList } from "@kubewright/apimachinery";
import type { RequestUser } from "../authentication/user/user-info.ts";
import type { RbacRule } from "./rules.ts";

/**
 * Returns a message with the rules that a user cannot grant because the user does not have these permissions. Returns
 * `undefined` if the user can grant all rules.
 *
 * @see kubernetes pkg/registry/rbac/validation ConfirmNoEscalation
 */
export function escalationRefusal(
  { name, groups }: RequestUser,
  held: { readonly rules: readonly RbacRule[]; readonly error?: string | undefined },
  granted: readonly RbacRule[],
): string | undefined {
  const missing = granted.flatMap(smallestRules).filter((rule) => !held.rules.some((owned) => covers(owned, rule)));
  if (missing.length === 0) return undefined;
  const descriptions = [...new Set(compacted(missing).map(described))].sort();
  const problems = held.error ? `; resolution errors: [${held.error}]` : "";
  return `user ${quote(name)} (groups=${quoteList(groups)}) is attempting to grant RBAC permissions not currently held:\n${descriptions.join("\n")}${problems}`;
}

/** A rule that contains only one verb, and only one resource, object name or path. */
interface SmallRule {
  readonly verb: string;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  readonly name?: string | undefined;
  readonly url?: string | undefined;
}

function smallestRules({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: RbacRule): SmallRule[] {
  const names = resourceNames.length > 0 ? resourceNames : [undefined];
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => ({ verb, group, resource, ...(name === undefined ? {} : { name }) })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verb, url }))),
  ];
}

function covers(owned: RbacRule, { verb, group, resource, name, url }: SmallRule): boolean {
  if (!hasOrAll(owned.verbs, verb)) return false;
  if (url !== undefined) return (owned.nonResourceURLs ?? []).some((pattern) => urlCovers(pattern, url));
  const names = owned.resourceNames ?? [];
  return (
    group !== undefined &&
    resource !== undefined &&
    hasOrAll(owned.apiGroups ?? [], group) &&
    resourceCovers(owned.resources ?? [], resource) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

const hasOrAll = (list: readonly string[], value: string): boolean => list.includes("*") || list.includes(value);

function resourceCovers(owned: readonly string[], resource: string): boolean {
  if (hasOrAll(owned, resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && owned.includes(`*${resource.slice(slash)}`);
}

const urlCovers = (pattern: string, url: string): boolean =>
  pattern === url || (pattern.endsWith("*") && url.startsWith(pattern.replace(/(?<!\*)\*+$/, "")));

/** Merges rules about resources that differ only in their verbs. */
function compacted(rules: readonly SmallRule[]): RbacRule[] {
  const byResource = new Map<string, RbacRule & { readonly verbs: string[] }>();
  const others: RbacRule[] = [];
  for (const { verb, group, resource, name, url } of rules) {
    if (group === undefined || resource === undefined) {
      others.push({ verbs: [verb], nonResourceURLs: url === undefined ? [] : [url] });
      continue;
    }
    const key = JSON.stringify([group, resource, name]);
    const known = byResource.get(key);
    if (known) known.verbs.push(verb);
    else
      byResource.set(key, {
        verbs: [verb],
        apiGroups: [group],
        resources: [resource],
        ...(name === undefined ? {} : { resourceNames: [name] }),
      });
  }
  return [...others, ...byResource.values()];
}

/** Formats a rule for messages.  @see kubernetes pkg/apis/rbac/v1 CompactString */
function described({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: RbacRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  return `{${parts.flatMap(([name, list]) => (list?.length ? [`${name}:${quoteList(list)}`] : [])).join(", ")}}`;
}
