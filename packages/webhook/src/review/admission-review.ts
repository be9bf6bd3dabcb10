import type { GroupVersionKind, GroupVersionResource } from "@kubewright/apimachinery";
import { isRecord, parseJson, stringifyJson } from "@kubewright/apimachinery";
import { flagField, objectField, ReviewError, reviewVersion, textField } from "./fields.ts";
import { readUserInfo, type UserInfo } from "./user-info.ts";

/** A request that an API server sends before it performs an operation. @see api/admission/v1 AdmissionRequest */
export interface AdmissionRequest {
  /** Identifies this call. The response contains the same value. */
  readonly uid: string;
  /** The object's kind, in the version that the webhook requested. */
  readonly kind: GroupVersionKind;
  /** Resource with its plural name, in the group and version of `kind`. */
  readonly resource: GroupVersionResource;
  /** Subresource, such as `status`; empty for the object itself. */
  readonly subResource: string;
  /** Kind that the client sent, if it sent another version. */
  readonly requestKind?: GroupVersionKind | undefined;
  readonly requestResource?: GroupVersionResource | undefined;
  readonly requestSubResource?: string | undefined;
  /** Name of the object; empty if the server generates it later. */
  readonly name: string;
  /** Namespace of the object; empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Operation: `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: string;
  readonly userInfo: UserInfo;
  /** The object as sent, including unknown fields. Integers beyond 2^53 are `bigint`. Absent for deletions. */
  readonly object?: Readonly<Record<string, unknown>> | undefined;
  /** The existing object. Present on update and delete. */
  readonly oldObject?: Readonly<Record<string, unknown>> | undefined;
  /** True if nothing will be stored. The webhook must then have no side effects. */
  readonly dryRun: boolean;
  /** Options object of the operation, such as `{ kind: "CreateOptions" }`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

const versions = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"] as const;

/** Reads an AdmissionReview. @throws {SyntaxError | ReviewError} if the text is not one */
export function readAdmissionReview(text: string): { readonly apiVersion: string; readonly request: AdmissionRequest } {
  const review = parseJson(text);
  if (!isRecord(review)) throw new ReviewError("an AdmissionReview must be an object");
  const apiVersion = reviewVersion(review, "AdmissionReview", versions);
  return { apiVersion, request: readRequest(objectField(review, "request", "review") ?? {}) };
}

function readRequest(fields: Readonly<Record<string, unknown>>): AdmissionRequest {
  const text = (name: string): string => textField(fields, name, "request");
  const object = (name: string) => objectField(fields, name, "request");
  const [requestKind, requestResource] = [object("requestKind"), object("requestResource")];
  return {
    uid: text("uid"),
    kind: readKind(object("kind") ?? {}, "request.kind"),
    resource: readResource(object("resource") ?? {}, "request.resource"),
    subResource: text("subResource"),
    ...(requestKind ? { requestKind: readKind(requestKind, "request.requestKind") } : {}),
    ...(requestResource ? { requestResource: readResource(requestResource, "request.requestResource") } : {}),
    requestSubResource: text("requestSubResource"),
    name: text("name"),
    namespace: text("namespace"),
    operation: text("operation"),
    userInfo: readUserInfo(object("userInfo") ?? {}, "request.userInfo"),
    object: object("object"),
    oldObject: object("oldObject"),
    dryRun: flagField(fields, "dryRun", "request"),
    options: object("options"),
  };
}

const readKind = (fields: Readonly<Record<string, unknown>>, path: string): GroupVersionKind => ({
  group: textField(fields, "group", path),
  version: textField(fields, "version", path),
  kind: textField(fields, "kind", path),
});

const readResource = (fields: Readonly<Record<string, unknown>>, path: string): GroupVersionResource => ({
  group: textField(fields, "group", path),
  version: textField(fields, "version", path),
  resource: textField(fields, "resource", path),
});

/** Serializes a review with the given response, in the request's API version. */
export function writeAdmissionReview(apiVersion: string, response: Readonly<Record<string, unknown>>): string {
  return stringifyJson({ kind: "AdmissionReview", apiVersion, response });
}

/** API version used in responses to unreadable requests. */
export const admissionV1: string = versions[0];
