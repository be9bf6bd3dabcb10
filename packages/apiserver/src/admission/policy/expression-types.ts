import { celType, type DeclType, objectType, plainType } from "@kubewright/cel";

const text = plainType(celType.string);
const time = plainType(celType.timestamp);
const integer = plainType(celType.int);
const listOf = (elem: DeclType): DeclType => plainType(celType.list(elem.type), elem);
const mapOf = (elem: DeclType): DeclType => plainType(celType.map(celType.string, elem.type), elem);

const groupVersionKind = objectType("kubernetes.GroupVersionKind", { group: text, version: text, kind: text });
const groupVersionResource = objectType("kubernetes.GroupVersionResource", {
  group: text,
  version: text,
  resource: text,
});

/** Type of the variable `request`. @see apiserver pkg/admission/plugin/cel BuildRequestType */
export const requestType: DeclType = objectType("kubernetes.AdmissionRequest", {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: text,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: objectType("kubernetes.UserInfo", {
    username: text,
    uid: text,
    groups: listOf(text),
    extra: mapOf(listOf(text)),
  }),
  dryRun: plainType(celType.bool),
  options: plainType(celType.dyn),
});

/** Type of the variable `namespaceObject`. @see apiserver pkg/admission/plugin/cel BuildNamespaceType */
export const namespaceType: DeclType = objectType("kubernetes.Namespace", {
  metadata: objectType("kubernetes.NamespaceMetadata", {
    name: text,
    generateName: text,
    namespace: text,
    labels: mapOf(text),
    annotations: mapOf(text),
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    generation: integer,
    resourceVersion: text,
    finalizers: listOf(text),
  }),
  spec: objectType("kubernetes.NamespaceSpec", { finalizers: listOf(text) }),
  status: objectType("kubernetes.NamespaceStatus", {
    conditions: listOf(
      objectType("kubernetes.NamespaceCondition", {
        status: text,
        type: text,
        lastTransitionTime: time,
        message: text,
        reason: text,
      }),
    ),
    phase: text,
  }),
});
