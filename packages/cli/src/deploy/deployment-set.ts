import { ignoreNotFound, type Unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { ApplySetName, Manifest } from "@kubewright/client/apply";
import { Namespace } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";

/** What belongs to a deployment, so that it can be found again: all but definitions and the namespace itself. */
export const deploymentSet = (program: string, namespace: string): ApplySetName => ({
  name: `${program}-deployment`,
  namespace,
});

/** On a namespace that came with a deployment, and goes with it: the program's name. */
const createdFor = "kubewright.dev/created-for";

/** Definitions and namespaces stay when a program no longer has them: with them, everybody's objects would go. */
export const isStanding = ({ object }: Manifest): boolean =>
  object.kind === "Namespace" || object.kind === "CustomResourceDefinition";

/** True if the namespace exists for this program alone, and nobody has deleted it yet. */
export async function isCreatedFor(client: Client, program: string, name: string): Promise<boolean> {
  const found = await client.get(Namespace, { name }).catch(ignoreNotFound);
  return found?.metadata.deletionTimestamp === undefined && found?.metadata.annotations?.[createdFor] === program;
}

const pollMs = 250;

/** Waits until a namespace that was deleted is gone, and with it the pods that end in it: nothing can be created there before. */
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
 * The namespace says that it is this deployment's, unless it was there before.
 *
 * @param labelsOthers whether one that was there gets the labels of the manifest, too; else it is left alone
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
