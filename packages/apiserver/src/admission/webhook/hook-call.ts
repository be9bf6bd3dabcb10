import { isRecord, type RawOperation, validateQualifiedName } from "@kubewright/apimachinery";
import { countSeparators, maxValues, readJsonText, UnreadableTextError, wrongType } from "@kubewright/codec";
import { UnreadableReviewError } from "../../webhook/review-type.ts";
import { WebhookCallError, type WebhookClients } from "../../webhook/webhook-clients.ts";
import type { AdmissionAttributes } from "../admission.ts";
import { type ReviewResponse, reviewOf, verifiedResponse } from "./admission-review.ts";
import { dryRunUnsupported, rejection, WebhookFailure } from "./call-errors.ts";
import type { Invocation } from "./hook-selection.ts";
import type { WebhookUsers } from "./webhook-users.ts";

const defaultTimeoutSeconds = 10;

export interface HookCaller {
  readonly clients: WebhookClients;
  /** Returns the credentials for the webhook at a `host:port`. Default: none. */
  readonly userOf?: WebhookUsers | undefined;
}

/**
 * Calls a webhook and returns the operations in its patch, or an empty list if the webhook does not change the object.
 *
 * @throws {StatusError} if the webhook rejects the request
 *
 * @throws {WebhookFailure} if the webhook cannot be called
 */
export async function callHook(
  { clients, userOf }: HookCaller,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  seen: Pick<AdmissionAttributes, "object" | "oldObject">,
  mutating: boolean,
): Promise<readonly RawOperation[]> {
  const { webhook } = invocation.hook;
  const { name, sideEffects, timeoutSeconds = defaultTimeoutSeconds } = webhook;
  if (attributes.dryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun") throw dryRunUnsupported(name);
  const review = reviewOf(invocation, attributes, seen, clients.random.uuid());
  let answer: Readonly<Record<string, unknown>>;
  try {
    answer = await clients.call(webhook.clientConfig, {
      body: `${review.body}\n`,
      timeoutMs: timeoutSeconds * 1_000,
      userAgent: "kube-apiserver-admission",
      userOf,
      signal: attributes.signal,
    });
  } catch (error) {
    if (error instanceof WebhookCallError) throw new WebhookFailure(name, `failed to call webhook: ${error.message}`);
    throw error;
  }
  const response = checked(name, () => verifiedResponse(answer, review, mutating));
  for (const [key, value] of Object.entries(response.auditAnnotations))
    if (isAnnotationKey(`${name}/${key}`)) attributes.annotate?.(`${name}/${key}`, value);
  for (const text of response.warnings) attributes.warn(text);
  if (!response.allowed) throw rejection(name, response.status);
  return response.patch === "" ? [] : operationsOf(name, response);
}

/**
 * Reports whether a key is valid for an audit annotation. Annotations with other keys are skipped, as in upstream.
 *
 * @see apiserver pkg/admission attributesRecord.AddAnnotation
 */
const isAnnotationKey = (key: string): boolean =>
  key.split("/").length === 2 && validateQualifiedName(key).length === 0;

function checked(name: string, verify: () => ReviewResponse): ReviewResponse {
  try {
    return verify();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const what =
      error instanceof UnreadableReviewError ? "failed to call webhook" : "received invalid webhook response";
    throw new WebhookFailure(name, `${what}: ${text}`);
  }
}

function operationsOf(name: string, { patch, patchType }: ReviewResponse): readonly RawOperation[] {
  const undecodable = (why: string): WebhookFailure =>
    new WebhookFailure(name, `received undecodable patch in webhook response: ${why}`);
  if (countSeparators(patch, maxValues) > maxValues) throw undecodable(`it has more than ${maxValues} values`);
  let operations: unknown;
  try {
    operations = readJsonText(patch).value;
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    throw undecodable(error.message);
  }
  if (operations === null) return [];
  if (!Array.isArray(operations)) throw undecodable(wrongType("", "array", operations));
  for (const [i, operation] of operations.entries())
    if (operation !== null && !isRecord(operation)) throw undecodable(wrongType(`[${i}]`, "object", operation));
  if (operations.length > 0 && patchType !== "JSONPatch")
    throw new WebhookFailure(name, `unsupported patch type "${patchType}"`);
  return operations.map((operation) => operation ?? {});
}
