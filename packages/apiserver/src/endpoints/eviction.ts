import {
  isRecord,
  type LabelSelectorSpec,
  labelSelectorFrom,
  type Status,
  StatusError,
} from "@kubewright/apimachinery";
import { decodeBody } from "../codec/decode.ts";
import type { DeleteOptions } from "../registry/deletion.ts";
import type { ReadonlyObject } from "../registry/resource.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { writeOptions } from "./request-options.ts";
import { namespaceOf, writeContext } from "./resource-scope.ts";
import { sendObject } from "./responses.ts";
import type { SubresourceHandler } from "./subresource.ts";

const evictionKind = { group: "policy", version: "v1", kind: "Eviction" } as const;
const success: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/**
 * `pods/eviction`: deletes a pod if every disruption budget that covers it allows one more disruption.
 *
 * @see kubernetes pkg/registry/core/pod/storage EvictionREST
 */
export const evictionSubresource: SubresourceHandler = async (request, scope) => {
  const options = writeOptions(request.query, "CreateOptions");
  const schema = builtinSchema(evictionKind);
  if (!schema) throw new Error("the type Eviction is not in the type table");
  const body = await request.body();
  const expected = { gvk: evictionKind, schema, custom: false };
  const { object } = decodeBody(request.header("content-type"), body, expected, options.fieldValidation);
  const namespace = namespaceOf(request, scope);
  const pod = await scope.store.get(namespace, request.info.name);
  for (const budget of await scope.objectsOf("policy", "poddisruptionbudgets", namespace)) checkBudget(budget, pod);
  const asked = isRecord(object.deleteOptions) ? object.deleteOptions : {};
  const deletion: DeleteOptions = { ...(asked as Partial<DeleteOptions>), dryRun: options.dryRun };
  await scope.store.delete(request.info.name, deletion, writeContext(request, scope, options.dryRun));
  sendObject(request, 201, success);
};

function checkBudget(budget: ReadonlyObject, pod: ReadonlyObject): void {
  const { spec, status } = budget as { spec?: { selector?: LabelSelectorSpec }; status?: Record<string, number> };
  if (!labelSelectorFrom(spec?.selector).matches(pod.metadata.labels)) return;
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0 } = status ?? {};
  const { observedGeneration = 0 } = status ?? {};
  if (observedGeneration < (budget.metadata.generation ?? 0)) throw blocked(stillProcessed(budget), 10);
  if (disruptionsAllowed > 0) return;
  const message = `The disruption budget ${budget.metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  throw blocked(message);
}

const stillProcessed = ({ metadata }: ReadonlyObject): string =>
  `The disruption budget ${metadata.name} is still being processed by the server.`;

function blocked(message: string, retryAfterSeconds?: number): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: "TooManyRequests",
    details: {
      causes: [{ reason: "DisruptionBudget", message }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
    code: 429,
  });
}
