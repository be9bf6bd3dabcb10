import { findCondition, isAlreadyExists, isConditionTrue, isRecord, type Unstructured } from "@kubewright/apimachinery";
import { expectedType } from "@kubewright/apiserver/endpoints";
import type { GenericServer } from "@kubewright/apiserver/server";
import { serverContext } from "@kubewright/apiserver/server";
import type { Clock } from "@kubewright/clock";
import { decodeBody } from "@kubewright/codec";
import { everything, type Storage } from "@kubewright/storage";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { crdPrefix, crdResource } from "./crd-object.ts";

/**
 * Creates CRDs and waits until they are served.
 *
 * @param replace true to update the specification of existing CRDs; false to treat existing CRDs as an error
 *
 * @throws {StatusError} if a CRD is not valid or already exists
 * @throws {Error} if one of a CRD's names is already used by another CRD
 */
export async function installDefinitions(
  servers: readonly GenericServer[],
  storage: Storage,
  definitions: readonly unknown[],
  clock: Clock,
  replace = false,
): Promise<void> {
  const names: string[] = [];
  for (const definition of definitions) names.push(await create(servers, definition, clock, replace));
  for (const name of names) await established(storage, name);
}

async function create(
  servers: readonly GenericServer[],
  definition: unknown,
  clock: Clock,
  replace: boolean,
): Promise<string> {
  const { group, version, resource } = crdResource;
  const scope = servers.map(({ resources }) => resources.find(group, version, resource)).find((found) => found);
  if (!scope) throw new Error("this server does not serve CustomResourceDefinitions");
  const given = isRecord(definition) && isRecord(definition.crd) ? definition.crd : definition;
  const body = Buffer.from(JSON.stringify(given));
  const { object } = decodeBody("application/json", body, expectedType(scope.resource), "Ignore");
  scope.resource.strategy.applyDefaults?.(object as Unstructured);
  const context = serverContext(clock, "");
  try {
    return (await scope.store.create(object, context)).metadata.name;
  } catch (error) {
    if (!replace || !isAlreadyExists(error)) throw error;
    const { name } = object.metadata;
    await scope.store.update({ name, part: "main", transform: (current) => withSpecOf(object, current) }, context);
    return name;
  }
}

const withSpecOf = (object: Unstructured, current: unknown): Unstructured => ({
  ...structuredClone(current as Unstructured),
  spec: structuredClone(object.spec),
});

async function established(storage: Storage, name: string): Promise<void> {
  const done = new AbortController();
  for await (const event of storage.watch(`${crdPrefix}${name}`, { predicate: everything, signal: done.signal })) {
    if (event.type === "BOOKMARK") continue;
    const { status } = definitionOf(event.object);
    if (isConditionTrue(status?.conditions ?? undefined, "Established")) break;
    const naming = findCondition(status?.conditions ?? undefined, "NamesAccepted");
    if (naming?.status === "False") throw new Error(`CRD ${name}: names not accepted: ${naming.message}`);
  }
  done.abort();
}

const definitionOf = (object: unknown): CustomResourceDefinition => object as CustomResourceDefinition;
