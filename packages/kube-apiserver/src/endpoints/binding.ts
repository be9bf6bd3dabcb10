import {
  aggregateFieldErrors,
  badRequest,
  conflict,
  fieldPath,
  isDns1123Subdomain,
  isRecord,
  notFound,
  quote,
  type Status,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { ApiRequest, SubresourceHandler } from "@kubewright/apiserver/endpoints";
import {
  admitCreated,
  checkSegmentName,
  negotiated,
  type ResourceScope,
  send,
  unknownResource,
  type WriteRequestOptions,
  writeContext,
  writeOptions,
} from "@kubewright/apiserver/endpoints";
import { settleNamespace } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";
import { decodeBody, unexplained } from "@kubewright/codec";
import { builtinSchema } from "@kubewright/codec/schema";
import { messages } from "../kinds/checks.ts";

const bindingKind = { group: "", version: "v1", kind: "Binding" } as const;
const success: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** Handles `pods/binding`: assigns a pod to a node. @see kubernetes pkg/registry/core/pod/storage BindingREST */
export const bindingSubresource: SubresourceHandler = async (request, scope) => {
  negotiated(request, scope.resource);
  const options = writeOptions(request.query, "CreateOptions");
  const binding = await readBinding(request, options);
  const { name } = request.info;
  if (binding.metadata.name !== name) throw badRequest("name in URL does not match name in Binding object");
  settleNamespace(scope.resource, binding, request.info.namespace);
  await admitCreated(request, scope, { kind: bindingKind, object: binding, options });
  await bind(request, scope, name, binding, options);
};

/** Handles `bindings`, an older equivalent of `pods/binding`. */
export async function createBinding(request: ApiRequest, scope: ResourceScope): Promise<void> {
  const pods = scope.other("", "v1", "pods");
  if (!pods) throw unknownResource();
  const options = writeOptions(request.query, "CreateOptions");
  const binding = await readBinding(request, options);
  settleNamespace(scope.resource, binding, request.info.namespace);
  await admitCreated(request, scope, { kind: bindingKind, object: binding, options });
  checkSegmentName(binding.metadata.name ?? "");
  await bind(request, pods, binding.metadata.name ?? "", binding, options);
}

async function readBinding(request: ApiRequest, options: WriteRequestOptions): Promise<Unstructured> {
  const schema = builtinSchema(bindingKind);
  if (!schema) throw new Error("the type Binding is not in the type table");
  const expected = { gvk: bindingKind, schema, custom: false };
  const body = await request.body();
  const { object } = decodeBody(request.header("content-type"), body, expected, options.fieldValidation);
  request.recordObject(object);
  return object;
}

async function bind(
  request: ApiRequest,
  pods: ResourceScope,
  name: string,
  binding: Unstructured,
  options: WriteRequestOptions,
): Promise<void> {
  const { name: node, kind } = isRecord(binding.target) ? binding.target : {};
  if (kind !== undefined && kind !== "" && kind !== "Node")
    throw unexplained(`target.kind: Unsupported value: ${quote(String(kind))}: supported values: "Node", "<empty>"`);
  if (typeof node !== "string" || node === "") throw unexplained("target.name: Required value");
  const wrong = messages(node, isDns1123Subdomain(node), fieldPath("target", "name"));
  if (wrong.length > 0) throw unexplained(aggregateFieldErrors(wrong));
  await pods.store.update(
    {
      name,
      part: "whole",
      transform(current) {
        if (!current) throw notFound(pods.resource, name);
        const pod = structuredClone(current) as Unstructured;
        assign(pod, node, pods);
        takeMetadata(pod, binding);
        return pod;
      },
    },
    writeContext(request, pods, options.dryRun),
  );
  send(request, 201, success, negotiated(request, pods.resource));
}

function assign(pod: Unstructured, node: string, { clock }: ResourceScope): void {
  const { name, deletionTimestamp } = pod.metadata;
  const spec: Record<string, unknown> = isRecord(pod.spec) ? pod.spec : {};
  if (deletionTimestamp) throw bindingConflict(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (typeof spec.nodeName === "string" && spec.nodeName !== "")
    throw bindingConflict(name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  const status: Record<string, unknown> = isRecord(pod.status) ? pod.status : {};
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: rfc3339(clock.now()),
  };
  const others = conditions.filter((condition) => !isRecord(condition) || condition.type !== "PodScheduled");
  pod.spec = { ...spec, nodeName: node };
  pod.status = { ...status, conditions: [...others, scheduled] };
}

/** Copies the labels and annotations of a binding to its pod. */
function takeMetadata({ metadata }: Unstructured, { metadata: given }: Unstructured): void {
  for (const field of ["labels", "annotations"] as const)
    if (Object.keys(given[field] ?? {}).length > 0) metadata[field] = { ...metadata[field], ...given[field] };
}

const bindingConflict = (name: string, why: string): Error =>
  conflict({ group: "", resource: "pods/binding" }, name, why);
