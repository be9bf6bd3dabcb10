import { ignoreAlreadyExists, keyOf, type Unstructured, unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition, Namespace } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { apiKinds } from "../src/kinds/api-kinds.ts";

/** Installs the operator's CRDs and the CRDs among the given objects, and waits until the server serves them. */
export async function installCrds(
  client: Client,
  clock: Clock,
  signal: AbortSignal,
  objects: readonly Unstructured[] = [],
): Promise<void> {
  const definitions = objects.filter(isDefinition);
  const names = [...apiKinds.map(({ crd }) => crd.metadata.name), ...definitions.map(({ metadata }) => metadata.name)];
  for (const { crd } of apiKinds) await client.create(CustomResourceDefinition, crd).catch(ignoreAlreadyExists);
  for (const each of definitions) await client.create(unstructured(each), each).catch(ignoreAlreadyExists);
  for (let left = names; left.length > 0 && !signal.aborted; ) {
    const served = await Promise.all(left.map((name) => isServed(client, name)));
    left = left.filter((_name, index) => !served[index]);
    if (left.length > 0) await clock.sleep(50, signal);
  }
}

const isDefinition = ({ kind }: Unstructured): boolean => kind === CustomResourceDefinition.kind;

async function isServed(client: Client, name: string): Promise<boolean> {
  const { status } = await client.get(CustomResourceDefinition, name);
  return status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") ?? false;
}

/**
 * Creates objects one after another, and their namespaces if missing. As with kubectl, the default namespace is
 * `default`.
 *
 * @returns the objects that the server refused, with the reasons
 */
export async function install(
  client: Client,
  objects: readonly Unstructured[],
): Promise<readonly { readonly object: Unstructured; readonly error: unknown }[]> {
  const failures: { readonly object: Unstructured; readonly error: unknown }[] = [];
  for (const object of objects) {
    try {
      await create(client, object);
    } catch (error) {
      failures.push({ object, error });
    }
  }
  return failures;
}

async function create(client: Client, object: Unstructured): Promise<void> {
  const kind = unstructured(object);
  const mapping = await client.mapper.mappingFor(kind);
  if (mapping.scope === "Cluster") {
    await client.create(kind, object).catch(ignoreAlreadyExists);
    return;
  }
  const namespace = object.metadata.namespace ?? "default";
  await client.create(Namespace, { metadata: { name: namespace } }).catch(ignoreAlreadyExists);
  await client.create(kind, { ...object, metadata: { ...object.metadata, namespace } }).catch(ignoreAlreadyExists);
}

/** Returns the name for messages, such as `FirewallRule default/a`. */
export const nameOf = ({ kind, metadata }: Unstructured): string => `${kind} ${keyOf({ metadata })}`;
