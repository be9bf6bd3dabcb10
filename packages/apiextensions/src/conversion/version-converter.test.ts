import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import { WebhookClients } from "@kubewright/apiserver/webhook";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { resourceSchemaOf } from "../schema/type-schema-of.ts";
import { applySchemaDefaults } from "../values/defaulting.ts";
import { ConversionWebhook } from "./conversion-webhook.ts";
import { type VersionOfType, versionConverter } from "./version-converter.ts";

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Unstructured[] };
}
type Responder = (review: Review) => Promise<object> | object;

/** A webhook in memory. */
class FakeWebhook extends WebhookClients {
  readonly reviews: Review[] = [];
  answer: Responder;

  constructor(answer: Responder = success()) {
    super({ clock: new FakeClock(), resolveService: () => Promise.reject(new Error("there are no services")) });
    this.answer = answer;
  }

  override async call(
    _config: object,
    { body }: { readonly body: string },
  ): Promise<Readonly<Record<string, unknown>>> {
    const review: Review = JSON.parse(body);
    this.reviews.push(review);
    return { ...(await this.answer(review)) };
  }
}

const success =
  (change: object = {}, response: object = {}, review: object = {}): Responder =>
  ({ apiVersion, kind, request: { uid, desiredAPIVersion, objects } }) => ({
    ...{ apiVersion, kind },
    response: {
      uid,
      convertedObjects: objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion, ...change })),
      result: { status: "Success" },
      ...response,
    },
    ...review,
  });

const [v1, v2, v3] = ["example.com/v1", "example.com/v2", "example.com/v3"] as const;
const host = (name: string, apiVersion: string = v1, spec: object = {}): Unstructured & { spec: object } => ({
  ...{ apiVersion, kind: "Host", metadata: { name, uid: name, resourceVersion: "7" }, spec },
});
const webhookOf = (clients: FakeWebhook, reviewVersions: readonly string[] = ["v1"]) =>
  new ConversionWebhook({ clients, clientConfig: { url: "https://example.com" }, reviewVersions });

describe("a conversion webhook", () => {
  it("receives only objects in other versions, without resourceVersion, and the others keep their positions", async () => {
    const clients = new FakeWebhook();
    const results = await webhookOf(clients).convert([host("a"), host("b", v2), host("c")], v2);
    expect(results.map(({ apiVersion, metadata }) => [apiVersion, metadata.name, metadata.resourceVersion])).toEqual([
      [v2, "a", "7"],
      [v2, "b", "7"],
      [v2, "c", "7"],
    ]);
    const [review, ...others] = clients.reviews;
    expect(others).toEqual([]);
    expect(review).toMatchObject({
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" },
      request: { desiredAPIVersion: v2, objects: [{ metadata: { name: "a" } }, { metadata: { name: "c" } }] },
    });
    expect(review?.request.objects.map(({ metadata }) => Object.hasOwn(metadata, "resourceVersion"))).toEqual([
      false,
      false,
    ]);
  });

  it("is not called if there is nothing to convert", async () => {
    const clients = new FakeWebhook();
    const object = host("a", v2);
    const [same] = await webhookOf(clients).convert([object], v2);
    expect(same).toEqual(object);
    expect(same).not.toBe(object);
    expect(clients.reviews).toEqual([]);
  });

  it.each([
    [["v1beta1", "v1"], "v1beta1"],
    [["v9", "v1beta1"], "v1beta1"],
    [["v9"], "v1"],
  ])("receives its first supported version: %j", async (versions, used) => {
    const clients = new FakeWebhook();
    await webhookOf(clients, versions).convert([host("a")], v2);
    expect(clients.reviews[0]?.apiVersion).toBe(`apiextensions.k8s.io/${used}`);
  });

  const failed = `conversion webhook for ${v1}, Kind=Host failed: `;
  it.each<readonly [title: string, answer: Responder, message: string]>([
    [
      "no response",
      () => ({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" }),
      `${failed}no response provided`,
    ],
    ["another uid", success({}, { uid: "x" }), `", got "x"`],
    ["a uid that is not text", success({}, { uid: 5 }), `", got ""`],
    ["a failure", success({}, { result: { status: "Failure", message: "no way" } }), `${failed}no way`],
    [
      "a failure without words",
      success({}, { result: { status: "Failure" } }),
      `${failed}response.result.status was 'Failure', not 'Success'`,
    ],
    [
      "a failure with words that are not text",
      success({}, { result: { status: "Failure", message: 5 } }),
      "response.result.status was 'Failure', not 'Success'",
    ],
    ["no result", success({}, { result: null }), `${failed}response.result.status was '', not 'Success'`],
    ["a result that is a list", success({}, { result: [] }), failed],
    ["objects that are not a list", success({}, { convertedObjects: {} }), failed],
    ["too few objects", success({}, { convertedObjects: [] }), "Kind=Host returned 0 objects, expected 1"],
    ["no objects", success({}, { convertedObjects: null }), "Kind=Host returned 0 objects, expected 1"],
    ["something that is not an object", success({}, { convertedObjects: [5] }), "expected object, got number"],
    ["an object without a kind", success({ kind: "" }), "Object 'Kind' is missing in '"],
    [
      "another kind",
      success({ kind: "Other" }),
      "returned invalid object at index 0: invalid kind (expected Host, received Other)",
    ],
    ["another review", success({}, {}, { kind: "AdmissionReview" }), failed],
    ["nothing", () => Promise.reject(new Error("refused")), `${failed}refused`],
  ])("fails with an answer of %s", async (_title, answer, message) => {
    await expect(webhookOf(new FakeWebhook(answer)).convert([host("a")], v2)).rejects.toThrow(message);
  });

  it("names the invalid one of several objects", async () => {
    const answer = success({ kind: "Other" });
    await expect(webhookOf(new FakeWebhook(answer)).convert([host("b", v2), host("a")], v2)).rejects.toThrow(
      "returned invalid converted object at index 0",
    );
  });
});

const version = (apiVersion: string, schema: JsonSchema): VersionOfType => {
  const whole: JsonSchema = { type: "object", properties: { spec: { type: "object", ...schema } } };
  return {
    apiVersion,
    schema: resourceSchemaOf(whole, "Host"),
    applyDefaults: (object) => applySchemaDefaults(object, whole),
  };
};
const text: JsonSchema = { type: "string" };
const served = version(v2, { properties: { a: text, b: text } });
const stored = version(v1, { properties: { a: { ...text, default: "d" }, c: text } });
const versions = new Map([served, stored].map((each) => [each.apiVersion, each]));
const specOf = (object: unknown): unknown => (isRecord(object) ? object.spec : undefined);

describe("a converter", () => {
  it("converts each state of an object once without a webhook, with the defaults of its version", async () => {
    const converter = versionConverter({ served, stored, versions });
    const object = host("a", v1, { c: "x" });
    const [first] = await converter.toServed([object]);
    expect(first).toMatchObject({ apiVersion: v2, spec: { a: "d" } });
    expect(specOf(first)).toEqual({ a: "d" });
    expect((await converter.toServed([object]))[0]).toBe(first);
    expect((await converter.toServed([host("a", v3, { b: "y" })]))[0]).toMatchObject({
      apiVersion: v2,
      spec: { b: "y" },
    });
    expect(object.spec).toEqual({ c: "x" });
  });

  it("drops unknown stored fields, and nothing if the served version is the stored one", async () => {
    const object = host("a", v2, { a: "1", b: "2" });
    expect(await versionConverter({ served, stored, versions }).toStored(object)).toMatchObject({
      apiVersion: v1,
      spec: { a: "1" },
    });
    expect(specOf(await versionConverter({ served, stored, versions }).toStored(object))).toEqual({ a: "1" });
    expect(specOf(await versionConverter({ served, stored: served, versions }).toStored(object))).toEqual({
      a: "1",
      b: "2",
    });
  });

  it("converts new objects with a webhook, all in one call", async () => {
    const clients = new FakeWebhook(success({ spec: { b: "new", z: "unknown" } }));
    const converter = versionConverter({ served, stored, versions, webhook: webhookOf(clients) });
    const [a, b, c] = [host("a"), host("b"), host("c")];
    const [once, twice] = await Promise.all([converter.toServed([a, b]), converter.toServed([b])]);
    expect(once.map(specOf)).toEqual([{ b: "new" }, { b: "new" }]);
    expect(twice[0]).toBe(once[1]);
    expect((await converter.toServed([c, a])).map(({ metadata }) => metadata.name)).toEqual(["c", "a"]);
    expect(clients.reviews.map(({ request }) => request.objects.map(({ metadata }) => metadata.name))).toEqual([
      ["a", "b"],
      ["c"],
    ]);
    expect(clients.reviews[0]?.request.objects[0]?.spec).toEqual({ a: "d" });
    await converter.toServedAnew?.(a);
    expect(clients.reviews).toHaveLength(3);
  });

  it("calls a webhook again for failed conversions", async () => {
    const clients = new FakeWebhook(() => Promise.reject(new Error("away")));
    const converter = versionConverter({ served, stored, versions, webhook: webhookOf(clients) });
    const object = host("a");
    await expect(converter.toServed([object])).rejects.toThrow("away");
    clients.answer = success();
    expect((await converter.toServed([object]))[0]?.apiVersion).toBe(v2);
  });

  it("converts objects for storage with a webhook, and drops fields that the storage version lacks", async () => {
    const clients = new FakeWebhook(success({ spec: { c: "1", z: "unknown" } }));
    const webhook = webhookOf(clients);
    const object = host("a", v2, { b: "2" });
    const result = await versionConverter({ served, stored, versions, webhook }).toStored(object);
    expect([result.apiVersion, specOf(result)]).toEqual([v1, { c: "1" }]);
    const same = await versionConverter({ served, stored: served, versions, webhook }).toStored(object);
    expect(same).toBe(object);
    expect(clients.reviews).toHaveLength(1);
  });
});
