import { isRecord } from "@kubewright/apimachinery";
import { type ClusterObject, collectionPath } from "../cluster/cluster-object.ts";
import { jsonOf, type LiveCluster, type LiveResponse, messageIn } from "./live-copy.ts";
import type { PlannedUnknown } from "./plan-report.ts";
import type { ChangedObject } from "./planned-changes.ts";

/**
 * Sends the final objects to the live cluster as dry runs, to check them against the cluster's webhooks, quotas and
 * policies.
 *
 * @returns the objects that the cluster rejects
 */
export async function confirmChanges(live: LiveCluster, changed: readonly ChangedObject[]): Promise<PlannedUnknown[]> {
  const refused: PlannedUnknown[] = [];
  const namespaces = new Set(
    changed.flatMap(({ change }) => (change.kind === "Namespace" && change.action === "create" ? [change.name] : [])),
  );
  for (const each of changed) {
    const { change } = each;
    const object = `${change.kind} ${change.namespace === undefined ? "" : `${change.namespace}/`}${change.name}`;
    if (change.kind === "CustomResourceDefinition") continue; // its conversion was redirected in the copy
    if (namespaces.has(change.namespace ?? "")) {
      refused.push({ object, reason: `cannot be confirmed before the namespace ${change.namespace} exists` });
      continue;
    }
    const reason = await refusalOf(live, each);
    if (reason !== undefined) refused.push({ object, reason: `the live cluster refuses it: ${reason}` });
  }
  return refused;
}

/** Returns why the live cluster refuses a change, or undefined if it accepts it. */
async function refusalOf(live: LiveCluster, { change, written, before, after }: ChangedObject) {
  if (!live.dryRun) return undefined;
  const { group, namespace, name } = written;
  const version = change.apiVersion.slice(change.apiVersion.lastIndexOf("/") + 1);
  const isNamespaced = namespace !== "";
  const place = collectionPath({ ...written, version, isNamespaced }, namespace);
  const path = `${place}/${name}`;
  if (change.action === "delete") return refusalIn(await live.dryRun("DELETE", path));
  if (!after) return undefined;
  const sent = sendable(after, before?.metadata.resourceVersion);
  if (change.action === "create") return refusalIn(await live.dryRun("POST", place, sent));
  const isStatus = ({ path: field }: { readonly path: string }): boolean => /^status\b/.test(field);
  const main = change.fields.every(isStatus) ? undefined : refusalIn(await live.dryRun("PUT", path, sent));
  if (main !== undefined || !change.fields.some(isStatus)) return main;
  const answer = await live.dryRun("PUT", `${path}/status`, sent);
  return answer.status === 404 && group !== "" ? undefined : refusalIn(answer); // a kind without this subresource
}

/** Returns an object without what the API server of the copy assigned. */
function sendable(object: ClusterObject, resourceVersion: string | undefined): object {
  const { uid: _, creationTimestamp: __, managedFields: ___, generation: ____, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, resourceVersion } };
}

function refusalIn(response: LiveResponse): string | undefined {
  if (response.status < 300) return undefined;
  const body = jsonOf(response);
  return isRecord(body) ? messageIn(body) : `response ${response.status}`;
}
