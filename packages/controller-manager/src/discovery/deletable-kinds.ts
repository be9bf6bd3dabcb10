import { apiVersionOf, type Kind, unstructured } from "@kubewright/apimachinery";
import { type Client, staleVersions } from "@kubewright/client";

/** Kinds whose objects can be deleted, and the group versions whose kinds are currently unknown. */
export interface DeletableKinds {
  readonly kinds: readonly Kind[];
  /** Group versions whose server does not respond. Their kinds are unknown, and must not be treated as deleted. */
  readonly stale: readonly { readonly group: string; readonly version: string }[];
}

/** Runs discovery again, and returns each kind whose objects can be listed, watched and deleted, in its preferred version only. */
export async function deletableKinds(live: Client): Promise<DeletableKinds> {
  live.discovery.invalidate();
  const kinds = new Map<string, Kind>();
  const groups = await live.discovery.groups();
  for (const group of groups) {
    for (const { resources } of group.versions) {
      for (const { gvk, gvr, scope, verbs } of resources) {
        const id = `${gvr.resource}.${gvr.group}`;
        if (kinds.has(id) || !["delete", "list", "watch"].every((verb) => verbs.includes(verb))) continue;
        kinds.set(id, unstructured({ apiVersion: apiVersionOf(gvk), kind: gvk.kind, plural: gvr.resource, scope }));
      }
    }
  }
  kinds.delete("events.events.k8s.io"); // the same objects as in the core group
  return { kinds: [...kinds.values()], stale: staleVersions(groups) };
}
