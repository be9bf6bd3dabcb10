import type { GroupVersionKind, GroupVersionResource } from "@kubewright/apimachinery";
import { builtinSchema } from "@kubewright/codec/schema";
import { withPrintedStructs } from "../fieldmanager/printed-structs.ts";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { AdmissionAttributes } from "./admission.ts";

/**
 * Returns a request in the form in which webhooks and expressions receive it, but without the objects.
 *
 * @see admission.k8s.io/v1 AdmissionRequest
 */
export function admissionRequest(
  attributes: AdmissionAttributes,
  seen: { readonly resource: GroupVersionResource; readonly kind: GroupVersionKind },
): Record<string, unknown> {
  const { resource, kind, subresource, name, namespace, operation, user, options, dryRun } = attributes;
  return {
    kind: gvk(seen.kind),
    resource: gvr(seen.resource),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: gvk(kind),
    requestResource: gvr(resource),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.name === "" ? {} : { username: user.name }),
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: user.groups } : {}),
      ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
    },
    dryRun,
    options: Object.keys(options).length > 0 ? options : null,
  };
}

/**
 * Returns an object as serialized by Go, including fields that Go serializes even if they are not set. Returns `null`
 * if `object` is absent.
 */
export function shownObject(object: ReadonlyObject | undefined, kind: GroupVersionKind): unknown {
  if (!object) return null;
  const schema = builtinSchema(kind);
  return schema ? withPrintedStructs(object, schema) : object;
}

const gvk = ({ group, version, kind }: GroupVersionKind) => ({ group, version, kind });
const gvr = ({ group, version, resource }: GroupVersionResource) => ({ group, version, resource });
