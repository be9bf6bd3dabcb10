import { badRequest, conflict, isRecord, notFound, type Status, type Unstructured } from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";
import { decodeBody } from "../codec/decode.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import type { ApiRequest } from "./api-request.ts";
import { trackFields } from "./managed-fields.ts";
import { writeOptions } from "./request-options.ts";
import { type ResourceScope, writeContext } from "./resource-scope.ts";
import { sendObject } from "./responses.ts";
import type { SubresourceHandler } from "./subresource.ts";

const bindingKind = { group: "", version: "v1", kind: "Binding" } as const;

/** `pods/binding`: puts a pod on a node. @see kubernetes pkg/registry/core/pod/storage BindingREST */
export const bindingSubresource: SubresourceHandler = async (request, scope) => {
  const options = writeOptions(request.query, "CreateOptions");
  const schema = builtinSchema(bindingKind);
  if (!schema) throw new Error("the type Binding is not in the type table");
  const expected = { gvk: bindingKind, schema, custom: false };
  const { object } = decodeBody(
    request.header("content-type"),
    await request.body(),
    expected,
    options.fieldValidation,
  );
  const node = isRecord(object.target) ? object.target.name : undefined;
  if (typeof node !== "string" || node === "") throw badRequest("target.name: Required value");
  await scope.store.update(
    {
      name: request.info.name,
      part: "whole",
      transform(current) {
        if (!current) throw notFound(scope.resource, request.info.name);
        const pod = structuredClone(current) as Unstructured;
        assign(request, pod, node, scope);
        return trackFields(request, scope, current, pod, options);
      },
    },
    writeContext(request, scope, options.dryRun),
  );
  sendObject(request, 201, created);
};

const created: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

function assign(request: ApiRequest, pod: Unstructured, node: string, scope: ResourceScope): void {
  const spec: Record<string, unknown> = isRecord(pod.spec) ? pod.spec : {};
  const { name } = request.info;
  if (pod.metadata.deletionTimestamp)
    throw bindingConflict(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (typeof spec.nodeName === "string" && spec.nodeName !== "")
    throw bindingConflict(name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  spec.nodeName = node;
  pod.spec = spec;
  const status: Record<string, unknown> = isRecord(pod.status) ? pod.status : {};
  pod.status = status;
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  status.conditions = [
    ...conditions.filter((condition) => !isRecord(condition) || condition.type !== "PodScheduled"),
    { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: rfc3339(scope.clock.now()) },
  ];
}

const bindingConflict = (name: string, why: string): Error =>
  conflict({ group: "", resource: "pods/binding" }, name, why);
