import { ignoreAlreadyExists, isRecord, type Unstructured } from "@kubewright/apimachinery";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ResourceScope } from "../endpoints/resource-scope.ts";
import { bootstrapFlowSchemas, bootstrapPriorityLevels } from "../registry/kinds/flowcontrol/bootstrap.ts";
import type { GenericServer } from "./generic-server.ts";
import { serverContext } from "./serving-context.ts";

const group = "flowcontrol.apiserver.k8s.io";
const producer = "api-priority-and-fairness-config-producer-v1";
const consumer = "api-priority-and-fairness-config-consumer-v1";

/**
 * Creates the priority levels and flow schemas that every API server has. Nothing is queued by them: they are stored objects.
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
  for (const schema of bootstrapFlowSchemas)
    if (await ensure(schemas, schema, clock)) await reportLevel(schemas, schema, clock);
}

/** Whether the object was made now. */
async function ensure({ resource, store }: ResourceScope, object: Unstructured, clock: Clock): Promise<boolean> {
  const time = rfc3339(clock.now());
  const draft = structuredClone(object);
  const written = { manager: producer, subresource: "", time, resetFields: [["status"]] };
  const owned = resource.fieldManager?.update(undefined, draft, written) ?? draft;
  return (await store.create(owned, serverContext(clock, "")).catch(ignoreAlreadyExists)) !== undefined;
}

/** Says in the schema's status that the level it names is there. */
async function reportLevel({ resource, store }: ResourceScope, schema: Unstructured, clock: Clock): Promise<void> {
  const { name } = schema.metadata;
  const time = rfc3339(clock.now());
  const { priorityLevelConfiguration } = isRecord(schema.spec) ? schema.spec : {};
  const level = isRecord(priorityLevelConfiguration) ? String(priorityLevelConfiguration.name) : "";
  const condition = {
    type: "Dangling",
    status: "False",
    lastTransitionTime: time,
    reason: "Found",
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
  };
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
