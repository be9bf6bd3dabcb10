import type { WebhookClientConfig } from "@kubewright/apimachinery";
import { isRecord, quote, stringifyJson, type Unstructured } from "@kubewright/apimachinery";
import type { WebhookClients } from "@kubewright/apiserver/webhook";
import { checkReviewNamed, checkReviewType, UnreadableReviewError } from "@kubewright/apiserver/webhook";
import { unexplained, wrongType } from "@kubewright/codec";
import type { StoredObject } from "@kubewright/storage";
import { gvkText, restoreMetadata } from "./conversion-check.ts";

const group = "apiextensions.k8s.io";
const known: ReadonlySet<string> = new Set([`${group}/v1`, `${group}/v1beta1`]);
const timeoutMs = 30_000;

interface ConversionWebhookParts {
  readonly clients: WebhookClients;
  readonly clientConfig: WebhookClientConfig;
  readonly reviewVersions: readonly string[];
}

/**
 * Converts objects to another version by calling a webhook. A single call converts all objects.
 *
 * @see apiextensions-apiserver pkg/apiserver/conversion webhookConverter
 */
export class ConversionWebhook {
  readonly #parts: ConversionWebhookParts;

  constructor(parts: ConversionWebhookParts) {
    this.#parts = parts;
  }

  /**
   * Converts objects to the target version. Objects that already have this version are not sent to the webhook.
   *
   * @throws {StatusError} 500 with upstream's message
   */
  async convert(objects: readonly StoredObject[], apiVersion: string): Promise<Unstructured[]> {
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    const [first] = others;
    if (!first) return objects.map((object) => structuredClone(object) as Unstructured);
    const answers = await this.#ask(first, others, apiVersion);
    const what = `conversion webhook for ${gvkText(first)}`;
    if (answers.length !== others.length)
      throw unexplained(`${what} returned ${answers.length} objects, expected ${others.length}`);
    let next = 0;
    return objects.map((object) => {
      if (object.apiVersion === apiVersion) return structuredClone(object) as Unstructured;
      const index = next++;
      return restoreMetadata(object, readObject(answers[index]), {
        what,
        apiVersion,
        ...(objects.length > 1 ? { index } : {}),
      });
    });
  }

  async #ask(first: StoredObject, objects: readonly StoredObject[], desiredAPIVersion: string): Promise<unknown[]> {
    const { clients, clientConfig, reviewVersions } = this.#parts;
    const apiVersion = `${group}/${reviewVersions.find((version) => known.has(`${group}/${version}`)) ?? "v1"}`;
    const uid = clients.random.uuid();
    const review = {
      kind: "ConversionReview",
      apiVersion,
      request: { uid, desiredAPIVersion, objects: objects.map(withoutVersion) },
      response: { uid: "", convertedObjects: null, result: { metadata: {} } },
    };
    try {
      const body = `${stringifyJson(review)}\n`;
      const answer = await clients.call(clientConfig, { body, timeoutMs, userAgent: "kube-apiserver-admission" });
      return convertedObjects(answer, apiVersion, uid);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw unexplained(`conversion webhook for ${gvkText(first)} failed: ${why}`);
    }
  }
}

/** Returns the object without its `resourceVersion`, which is not part of the object that the webhook receives. */
function withoutVersion(object: StoredObject): unknown {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function convertedObjects(answer: Readonly<Record<string, unknown>>, apiVersion: string, uid: string): unknown[] {
  const type = { apiVersion, kind: "ConversionReview", known };
  checkReviewType(answer, type);
  const { response } = answer;
  if (!isRecord(response)) throw new Error("no response provided");
  checkReviewNamed(answer, type);
  const { result, convertedObjects: converted } = response;
  if (converted !== undefined && converted !== null && !Array.isArray(converted))
    throw new UnreadableReviewError(wrongType("response.convertedObjects", "array", converted));
  if (result !== undefined && result !== null && !isRecord(result))
    throw new UnreadableReviewError(wrongType("response.result", "object", result));
  const given = typeof response.uid === "string" ? response.uid : "";
  if (given !== uid) throw new Error(`expected response.uid=${quote(uid)}, got ${quote(given)}`);
  const { status = "", message = "" } = isRecord(response.result) ? response.result : {};
  if (status !== "Success")
    throw new Error(
      message === "" || typeof message !== "string"
        ? `response.result.status was '${String(status)}', not 'Success'`
        : message,
    );
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw unexplained(wrongType("", "object", value));
  if (!value.kind) throw unexplained(`Object 'Kind' is missing in '${stringifyJson(value)}'`);
  return value;
}
