import { ignoreAlreadyExists, kindOf, type Unstructured } from "@kubewright/apimachinery";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ResourceScope } from "../endpoints/scope/resource-scope.ts";
import type { GenericServer } from "./generic-server.ts";
import { serverContext } from "./own-writes.ts";

/**
 * Creates required objects that do not exist yet. Does not change existing objects, and skips objects whose kinds are
 * not served.
 */
export async function ensureObjects(
  servers: readonly GenericServer[],
  objects: readonly Unstructured[],
  clock: Clock,
): Promise<void> {
  for (const object of objects) {
    const scope = scopeFor(servers, object);
    if (!scope) continue;
    const draft = structuredClone(object);
    const status = draft.status;
    scope.resource.strategy.applyDefaults?.(draft);
    const context = serverContext(clock, draft.metadata.namespace ?? "");
    const created = await scope.store.create(owned(scope, draft), context).catch(ignoreAlreadyExists);
    if (!created || status === undefined) continue;
    const { name } = created.metadata;
    const transform = (current: unknown): Unstructured => ({ ...structuredClone(current as Unstructured), status });
    await scope.store.update({ name, part: "status", transform }, context);
  }
}

/** Returns an object whose field manager is the server itself. */
function owned({ resource, clock }: ResourceScope, object: Unstructured): Unstructured {
  const options = { manager: "kube-apiserver", subresource: "", time: rfc3339(clock.now()), resetFields: [["status"]] };
  return resource.fieldManager?.update(undefined, object, options) ?? object;
}

function scopeFor(servers: readonly GenericServer[], object: Unstructured): ResourceScope | undefined {
  const { group, version, kind } = kindOf(object);
  for (const server of servers)
    for (const scope of server.resources.scopes()) {
      const { resource } = scope;
      if (resource.group === group && resource.version === version && resource.kind === kind) return scope;
    }
  return undefined;
}
