import { ignoreAlreadyExists, isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import type { GenericServer } from "@kubewright/apiserver/server";
import { serverContext } from "@kubewright/apiserver/server";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { bootstrapFlowSchemas, bootstrapPriorityLevels } from "../kinds/flowcontrol/bootstrap.ts";

const group = "flowcontrol.apiserver.k8s.io";
const producer = "api-priority-and-fairness-config-producer-v1";
const consumer = "api-priority-and-fairness-config-consumer-v1";

/**
 * Creates the priority levels and flow schemas that every API server has. These objects have no effect, because the
 * server does not queue requests.
 *
 * @see kubernetes pkg/registry/flowcontrol/rest PostStartHook
 */
export async function ensureFlowControl(servers: readonly GenericServer[], clock: Clock): Promise<void> {
  const scopeOf = (resource: string): ResourceScope | undefined =>
    servers.map(({ resources }) => resources.find(group, "v1", resource)).find((scope) => scope !== undefined);
  const levels = scopeOf("prioritylevelconfigurations");
  const schemas = scopeOf("flowschemas");
  if (!levels || !schemas) return;
  for (const level of bootstrapPriorityLevels) await ensure(levels, level, clock);
  const names = new Set(bootstrapPriorityLevels.map(({ metadata }) => metadata.name));
  for (const schema of bootstrapFlowSchemas)
    if (await ensure(schemas, schema, clock)) await reportLevel(schemas, schema, names, clock);
}

/** Creates an object if it does not exist. Resolves to true if the object was created. */
async function ensure({ resource, store }: ResourceScope, object: Unstructured, clock: Clock): Promise<boolean> {
  const time = rfc3339(clock.now());
  const draft = structuredClone(object);
  const written = { manager: producer, subresource: "", time, resetFields: [["status"]] };
  const owned = resource.fieldManager?.update(undefined, draft, written) ?? draft;
  return (await store.create(owned, serverContext(clock, "")).catch(ignoreAlreadyExists)) !== undefined;
}

/**
 * Updates the condition in a flow schema's status that reports whether its priority level exists. Does nothing if the
 * status is up to date.
 */
export async function reportLevel(
  { resource, store }: ResourceScope,
  schema: ReadonlyObject,
  levels: ReadonlySet<string>,
  clock: Clock,
): Promise<void> {
  const { name } = schema.metadata;
  const time = rfc3339(clock.now());
  const { priorityLevelConfiguration } = isRecord(schema.spec) ? schema.spec : {};
  const level = isRecord(priorityLevelConfiguration) ? String(priorityLevelConfiguration.name) : "";
  const isThere = levels.has(level);
  const condition = {
    type: "Dangling",
    status: isThere ? "False" : "True",
    lastTransitionTime: time,
    reason: isThere ? "Found" : "NotFound",
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" ${isThere ? "and it exists" : "but there is no such object"}`,
  };
  if (hasCondition(schema, condition)) return;
  const { apiVersion, kind } = schema;
  const patch: Unstructured = { apiVersion, kind, metadata: { name }, status: { conditions: [condition] } };
  await store.update(
    {
      name,
      part: "status",
      transform: (current) => {
        const options = { manager: consumer, subresource: "status", time, resetFields: [["spec"], ["metadata"]] };
        return (
          resource.fieldManager?.apply(current, patch, { ...options, force: true }) ?? {
            ...(structuredClone(current) as Unstructured),
            status: patch.status,
          }
        );
      },
    },
    serverContext(clock, ""),
  );
}

function hasCondition(
  { status }: ReadonlyObject,
  { type, reason, message }: Readonly<Record<string, string>>,
): boolean {
  const conditions = isRecord(status) && Array.isArray(status.conditions) ? status.conditions.filter(isRecord) : [];
  return conditions.some((given) => given.type === type && given.reason === reason && given.message === message);
}
