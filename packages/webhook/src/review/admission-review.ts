import type { GroupVersionKind, GroupVersionResource } from "@kubewright/apimachinery";
import { isRecord, parseJson, stringifyJson } from "@kubewright/apimachinery";
import { flagField, objectField, ReviewError, reviewVersion, textField } from "./fields.ts";
import { readUserInfo, type UserInfo } from "./user-info.ts";

/** What an API server asks before it does something. @see api/admission/v1 AdmissionRequest */
export interface AdmissionRequest {
  /** Of this call; the answer repeats it. */
  readonly uid: string;
  /** What the object is, in the version that the webhook asked for. */
  readonly kind: GroupVersionKind;
  /** The plural, with group and version as in `kind`. */
  readonly resource: GroupVersionResource;
  /** Such as `status`; empty where it is the object itself. */
  readonly subResource: string;
  /** What the client sent, where it was in another version. */
  readonly requestKind?: GroupVersionKind | undefined;
  readonly requestResource?: GroupVersionResource | undefined;
  readonly requestSubResource?: string | undefined;
  /** Empty where the server is still to find one. */
  readonly name: string;
  /** Empty for what is in none. */
  readonly namespace: string;
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: string;
  readonly userInfo: UserInfo;
  /** As it was sent, with fields that no type knows; integers beyond 2^53 are `bigint`. Absent on delete. */
  readonly object?: Readonly<Record<string, unknown>> | undefined;
  /** What is there already, on update and delete. */
  readonly oldObject?: Readonly<Record<string, unknown>> | undefined;
  /** Nothing will be stored: neither may the webhook do anything. */
  readonly dryRun: boolean;
  /** The options object of the operation, such as `{ kind: "CreateOptions" }`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

const versions = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"] as const;

/** @throws {SyntaxError | ReviewError} if it is none */
export function readAdmissionReview(text: string): { readonly apiVersion: string; readonly request: AdmissionRequest } {
  const review = parseJson(text);
  if (!isRecord(review)) throw new ReviewError("an AdmissionReview is an object");
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

/** The answer, in the version of the question. */
export function writeAdmissionReview(apiVersion: string, response: Readonly<Record<string, unknown>>): string {
  return stringifyJson({ kind: "AdmissionReview", apiVersion, response });
}

/** Of answers to what was no question. */
export const admissionV1: string = versions[0];
