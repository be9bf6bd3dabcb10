import { isRecord, quote, stringifyJson } from "@kubewright/apimachinery";
import { base64In, wrongType } from "@kubewright/codec";
import { checkReviewNamed, checkReviewType, UnreadableReviewError } from "../../webhook/review-type.ts";
import type { AdmissionAttributes } from "../admission.ts";
import { admissionRequest, shownObject } from "../admission-request.ts";
import type { Invocation } from "./hook-selection.ts";

const group = "admission.k8s.io";
const known: ReadonlySet<string> = new Set([`${group}/v1`, `${group}/v1beta1`]);

/** An AdmissionReview with the request to a webhook. */
export interface Review {
  readonly uid: string;
  readonly apiVersion: string;
  readonly body: string;
}

/** A webhook's response, after validation. */
export interface ReviewResponse {
  readonly allowed: boolean;
  readonly status: Readonly<Record<string, unknown>> | undefined;
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/**
 * Returns the AdmissionReview to send to a webhook.
 *
 * @param uid identifies this call
 *
 * @see apiserver pkg/admission/plugin/webhook/request CreateAdmissionObjects
 */
export function reviewOf(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  seen: Pick<AdmissionAttributes, "object" | "oldObject">,
  uid: string,
): Review {
  const version = invocation.hook.webhook.admissionReviewVersions.find((name) => known.has(`${group}/${name}`)) ?? "v1";
  const apiVersion = `${group}/${version}`;
  const { dryRun, options, ...request } = admissionRequest(attributes, invocation);
  const body = stringifyJson({
    kind: "AdmissionReview",
    apiVersion,
    request: {
      uid,
      ...request,
      object: shownObject(seen.object, invocation.kind),
      oldObject: shownObject(seen.oldObject, invocation.kind),
      dryRun,
      options,
    },
  });
  return { uid, apiVersion, body };
}

/**
 * Decodes and validates a webhook's response.
 *
 * @throws {UnreadableReviewError} if the response is not an AdmissionReview or contains values of the wrong type
 *
 * @throws {Error} if the response is a review whose content is not permitted
 * @see apiserver pkg/admission/plugin/webhook/request VerifyAdmissionResponse
 */
export function verifiedResponse(
  answer: Readonly<Record<string, unknown>>,
  { uid, apiVersion }: Review,
  mutating: boolean,
): ReviewResponse {
  const type = { apiVersion, kind: "AdmissionReview", known };
  checkReviewType(answer, type);
  const { response } = answer;
  if (response === undefined || response === null) throw new Error("webhook response was absent");
  if (!isRecord(response)) throw new UnreadableReviewError(wrongType("response", "object", response));
  const read = readResponse(response);
  const isV1 = apiVersion === `${group}/v1`;
  if (isV1 && read.uid !== uid) throw new Error(`expected response.uid=${quote(uid)}, got ${quote(read.uid)}`);
  if (isV1) checkReviewNamed(answer, type);
  if (isV1) checkPatch(read, mutating);
  return {
    ...read,
    patch: mutating ? (read.patch ?? "") : "",
    patchType: isV1 ? (read.patchType ?? "") : "JSONPatch",
  };
}

interface RawResponse extends Omit<ReviewResponse, "patch" | "patchType"> {
  readonly uid: string;
  readonly patch: string | undefined;
  readonly patchType: string | undefined;
}

function readResponse(response: Readonly<Record<string, unknown>>): RawResponse {
  const patch = patchIn(response);
  return {
    uid: (member(response, "uid", "string") as string | undefined) ?? "",
    allowed: (member(response, "allowed", "boolean") as boolean | undefined) ?? false,
    status: statusIn(response),
    patch: patch === "" ? undefined : patch,
    patchType: member(response, "patchType", "string") as string | undefined,
    warnings: strings(response.warnings, "warnings"),
    auditAnnotations: Object.fromEntries(
      Object.entries((member(response, "auditAnnotations", "object") ?? {}) as object).map(([key, value]) => [
        key,
        oneString(value, "auditAnnotations"),
      ]),
    ),
  };
}

/** Returns the patch in a response. Its bytes are encoded as base64 or, as in upstream, as a list of numbers. */
function patchIn(response: Readonly<Record<string, unknown>>): string {
  const { patch } = response;
  if (Array.isArray(patch)) {
    const wrong = patch.find((byte) => !Number.isInteger(byte) || byte < 0 || byte > 255);
    if (wrong !== undefined) throw mismatch(wrong, "patch", "uint8");
    return Buffer.from(patch).toString("utf8");
  }
  const text = base64In((member(response, "patch", "string") as string | undefined) ?? "");
  if (text === undefined) throw new UnreadableReviewError("response.patch: illegal base64 data");
  return Buffer.from(text, "base64").toString("utf8");
}

const statusTypes = { status: "string", message: "string", reason: "string", details: "object", code: "number" };

function statusIn(response: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const status = member(response, "status", "object") as Record<string, unknown> | undefined;
  for (const [field, type] of Object.entries(statusTypes)) {
    const value = status?.[field];
    if (value === undefined || value === null || (Array.isArray(value) ? "array" : typeof value) === type) continue;
    throw mismatch(value, `status.${field}`, type);
  }
  return status;
}

function member(response: Readonly<Record<string, unknown>>, name: string, type: string): unknown {
  const value = response[name];
  if (value === undefined || value === null) return undefined;
  const given = Array.isArray(value) ? "array" : typeof value;
  if (given !== type) throw mismatch(value, name, type);
  return value;
}

function strings(value: unknown, name: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, name, "array");
  return value.map((item) => oneString(item, name));
}

function oneString(value: unknown, name: string): string {
  if (typeof value !== "string") throw mismatch(value, name, "string");
  return value;
}

const mismatch = (value: unknown, name: string, wanted: string): UnreadableReviewError =>
  new UnreadableReviewError(wrongType(`response.${name}`, wanted, value));

function checkPatch({ patch, patchType }: RawResponse, mutating: boolean): void {
  if (!mutating && patch !== undefined) throw new Error("validating webhook may not return response.patch");
  if (!mutating && patchType !== undefined) throw new Error("validating webhook may not return response.patchType");
  if (patch !== undefined && patchType === undefined)
    throw new Error("webhook returned response.patch but not response.patchType");
  if (patch === undefined && patchType !== undefined)
    throw new Error("webhook returned response.patchType but not response.patch");
  if (patch !== undefined && patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
}
