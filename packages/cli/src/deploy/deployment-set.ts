import { ignoreNotFound, type Unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { ApplySetName, Manifest } from "@kubewright/client/apply";
import { Namespace } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";

/** Name of the applyset that contains a deployment's objects, except its CRDs and namespace. */
export const deploymentSet = (program: string, namespace: string): ApplySetName => ({
  name: `${program}-deployment`,
  namespace,
});

/** Annotation of a namespace that `deploy` created. Its value is the program's name. `undeploy` deletes such a namespace. */
const createdFor = "kubewright.dev/created-for";

/**
 * Returns true for CRDs and namespaces. They are never pruned, because all objects that belong to them would be deleted
 * as well.
 */
export const isStanding = ({ object }: Manifest): boolean =>
  object.kind === "Namespace" || object.kind === "CustomResourceDefinition";

/** Reports whether the namespace was created for this program and is not being deleted. */
export async function isCreatedFor(client: Client, program: string, name: string): Promise<boolean> {
  const found = await client.get(Namespace, { name }).catch(ignoreNotFound);
  return found?.metadata.deletionTimestamp === undefined && found?.metadata.annotations?.[createdFor] === program;
}

const pollMs = 250;

/** Waits until a terminating namespace no longer exists, because nothing can be created in it until then. */
export async function untilGone(
  client: Client,
  name: string,
  { timeoutMs, signal, clock }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  for (const endMs = clock.monotonic() + timeoutMs; clock.monotonic() < endMs; await clock.sleep(pollMs, signal)) {
    const found = await client.get(Namespace, { name }, { signal }).catch(ignoreNotFound);
    if (found?.metadata.deletionTimestamp === undefined) return;
  }
}

/**
 * Marks the namespace as created for this deployment, unless it existed before.
 *
 * @param labelsOthers true to apply the manifest's labels even to a namespace that already existed; false to leave such
 * a namespace unchanged
 */
export async function withNamespaceClaimed(
  client: Client,
  program: string,
  manifests: readonly Manifest[],
  labelsOthers: boolean,
): Promise<Manifest[]> {
  const claimed: Manifest[] = [];
  for (const one of manifests) {
    if (one.object.kind !== "Namespace") {
      claimed.push(one);
      continue;
    }
    const there = await client.get(Namespace, { name: one.object.metadata.name }).catch(ignoreNotFound);
    const isOurs = !there || there.metadata.annotations?.[createdFor] === program;
    if (isOurs) claimed.push({ ...one, object: annotated(one.object, program) });
    else if (labelsOthers) claimed.push(one);
  }
  return claimed;
}

const annotated = (object: Unstructured, program: string): Unstructured => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [createdFor]: program } },
});
