import {
  badRequest,
  isRecord,
  type LabelSelectorSpec,
  labelSelectorFrom,
  type Status,
  StatusError,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { ApiRequest, SubresourceHandler } from "@kubewright/apiserver/endpoints";
import {
  admitCreated,
  namespaceOf,
  negotiated,
  type ResourceScope,
  send,
  type WriteRequestOptions,
  writeContext,
  writeOptions,
} from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { checkDeletePreconditions, type DeletionOptions, settleNamespace } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";
import { decodeBody } from "@kubewright/codec";
import { builtinSchema } from "@kubewright/codec/schema";
import { chargeBudget, checkBudget, guardsPod } from "./disruption-budget.ts";

const evictionKind = { group: "policy", version: "v1", kind: "Eviction" } as const;
const success: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/**
 * Handles `pods/eviction`: deletes a pod if its disruption budget allows it.
 *
 * @see kubernetes pkg/registry/core/pod/storage EvictionREST
 */
export const evictionSubresource: SubresourceHandler = async (request, scope) => {
  const wanted = negotiated(request, scope.resource);
  const options = writeOptions(request.query, "CreateOptions");
  const eviction = await readEviction(request, options);
  const namespace = namespaceOf(request, scope);
  settleNamespace(scope.resource, eviction, namespace);
  const asked: Partial<DeletionOptions> = isRecord(eviction.deleteOptions) ? eviction.deleteOptions : {};
  const dryRun = options.dryRun || isDryRun(eviction.deleteOptions);
  await admitCreated(request, scope, { kind: evictionKind, object: eviction, options });
  const pod = await scope.store.get(namespace, request.info.name);
  if (!isBeyondBudgets(pod)) await checkBudgets(request, scope, pod, dryRun);
  if (!dryRun) await markDisrupted(request, scope, asked);
  // the version in the request has already been compared, and writing the condition has changed the pod's version
  // since
  const { resourceVersion: _seen, ...preconditions } = asked.preconditions ?? {};
  await scope.store.delete(
    request.info.name,
    { ...asked, preconditions: dryRun ? (asked.preconditions ?? {}) : preconditions, dryRun },
    writeContext(request, scope, dryRun),
  );
  send(request, 201, success, wanted);
};

async function readEviction(request: ApiRequest, options: WriteRequestOptions): Promise<Unstructured> {
  const schema = builtinSchema(evictionKind);
  if (!schema) throw new Error("the type Eviction is not in the type table");
  const body = await request.body();
  const expected = { gvk: evictionKind, schema, custom: false };
  const { object } = decodeBody(request.header("content-type"), body, expected, options.fieldValidation);
  if (object.metadata.name !== request.info.name)
    throw badRequest("name in URL does not match name in Eviction object");
  return object;
}

const isDryRun = (options: unknown): boolean =>
  isRecord(options) && Array.isArray(options.dryRun) && options.dryRun.includes("All");

/**
 * True if disruption budgets do not apply to a pod, because it has finished, has not started, or is already being deleted. Its deletion is
 * not a disruption.
 */
function isBeyondBudgets({ metadata, status }: ReadonlyObject): boolean {
  const phase = isRecord(status) ? status.phase : undefined;
  return metadata.deletionTimestamp !== undefined || ["Succeeded", "Failed", "Pending"].includes(String(phase));
}

async function checkBudgets(
  request: ApiRequest,
  scope: ResourceScope,
  pod: ReadonlyObject,
  dryRun: boolean,
): Promise<void> {
  const namespace = namespaceOf(request, scope);
  const budgets = (await scope.objectsOf("policy", "poddisruptionbudgets", namespace)).filter((each) =>
    covers(each, pod),
  );
  const [budget, another] = budgets;
  if (another) throw tooManyBudgets();
  if (!budget || !guardsPod(budget, pod)) return;
  checkBudget(budget);
  const budgetScope = scope.other("policy", "v1", "poddisruptionbudgets");
  if (!budgetScope || dryRun) return;
  await chargeBudget(budgetScope, budget.metadata.name, request.info.name, writeContext(request, scope, false));
}

function covers({ spec }: ReadonlyObject, { metadata }: ReadonlyObject): boolean {
  const selector = isRecord(spec) ? (spec.selector as LabelSelectorSpec | undefined) : undefined;
  return labelSelectorFrom(selector).matches(metadata.labels);
}

const tooManyBudgets = (): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    code: 500,
  });

/** Writes a condition with the reason to the pod's status, before the pod is deleted. */
async function markDisrupted(
  request: ApiRequest,
  scope: ResourceScope,
  asked: Partial<DeletionOptions>,
): Promise<void> {
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: rfc3339(scope.clock.now()),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  await scope.store.update(
    {
      name: request.info.name,
      part: "whole",
      transform(current) {
        if (current) checkDeletePreconditions(scope.resource, current, asked.preconditions);
        const next = structuredClone(current ?? {}) as Unstructured;
        const status: Record<string, unknown> = isRecord(next.status) ? next.status : {};
        const conditions: unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
        if (conditions.some((each) => isRecord(each) && each.type === condition.type && each.status === "True"))
          return next;
        const others = conditions.filter((each) => !isRecord(each) || each.type !== condition.type);
        next.status = { ...status, conditions: [...others, condition] };
        return next;
      },
    },
    writeContext(request, scope, false),
  );
}
