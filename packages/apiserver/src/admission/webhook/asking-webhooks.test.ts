import { isStatusError, type Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { AdmissionAttributes } from "../admission.ts";
import { Reinvocation } from "../reinvocation.ts";
import { type FakeResponse, FakeWebhooks } from "../testing/fake-webhooks.ts";
import { outcomeOf } from "../testing/policies.ts";
import type { Webhook } from "./configuration.ts";
import { mutatingAdmissionWebhook, type WebhookPluginParts } from "./mutating-webhooks.ts";
import { validatingAdmissionWebhook } from "./validating-webhooks.ts";

const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
const webhook = (url: string, more: Partial<Webhook> = {}): Webhook => ({
  name: `${url}.example.com`,
  clientConfig: { url },
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  rules,
  ...more,
});
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const patching = (...operations: unknown[]): FakeResponse => {
  const patch = base64(operations);
  return () => ({ allowed: true, patchType: "JSONPatch", patch });
};
const labelling = (key: string): FakeResponse => patching({ op: "add", path: `/metadata/labels/${key}`, value: "yes" });
const allow: FakeResponse = () => ({ allowed: true });
const deny: FakeResponse = () => ({ allowed: false, status: { message: "no", code: 418 } });

function partsOf(webhooks: readonly Webhook[], answers: Readonly<Record<string, FakeResponse>>) {
  const clients = new FakeWebhooks(answers);
  const configurations = [{ apiVersion: "v1", kind: "Configuration", metadata: { name: "c" }, webhooks }];
  const parts: WebhookPluginParts = {
    clients,
    configurations: () => configurations,
    served: { find: () => undefined, sharing: () => [] } as never,
    namespaces: async () => undefined,
    matchConditions: () => ({ matches: true }),
  };
  return { clients, parts };
}
const newPod = (): Unstructured => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", labels: { app: "web" } },
  spec: { containers: [{ name: "c", resources: {} }] },
  status: {},
});
const messageOf = (refusal: unknown): string | undefined =>
  refusal === undefined ? undefined : isStatusError(refusal) ? `${refusal.code} ${refusal.message}` : String(refusal);

type Responses = Readonly<Record<string, FakeResponse>>;

async function validate(webhooks: readonly Webhook[], answers: Responses, more: Partial<AdmissionAttributes> = {}) {
  const { clients, parts } = partsOf(webhooks, answers);
  const { refusal, warnings, notes } = await outcomeOf(validatingAdmissionWebhook(parts), {
    object: newPod(),
    ...more,
  });
  return { refusal: messageOf(refusal), warnings, notes, calls: clients.calls };
}

async function mutate(webhooks: readonly Webhook[], answers: Responses, more: Partial<AdmissionAttributes> = {}) {
  const { clients, parts } = partsOf(webhooks, answers);
  const object = newPod();
  const plugin = mutatingAdmissionWebhook(parts);
  const reinvocation = new Reinvocation();
  const { refusal, warnings, notes } = await outcomeOf(plugin, { object, ...more }, reinvocation);
  const again = async (change: (pod: Unstructured) => void = () => undefined): Promise<string[]> => {
    change(object);
    reinvocation.begin();
    const before = clients.calls.length;
    await outcomeOf(plugin, { object, ...more }, reinvocation);
    return clients.calls.slice(before).map(({ url }) => url);
  };
  const calls = clients.calls.map(({ url }) => url);
  return { refusal: messageOf(refusal), warnings, notes, calls, labels: object.metadata.labels, reinvocation, again };
}

const failing = (url: string, why: string): string =>
  `500 Internal error occurred: failed calling webhook "${url}.example.com": ${why}`;

/** @see apiserver pkg/admission/plugin/webhook/validating dispatcher.go */
describe("a validating webhook", () => {
  it.each<[string, Partial<Webhook>, FakeResponse, string | undefined]>([
    ["allows", {}, allow, undefined],
    ["rejects with its own message", {}, deny, '418 admission webhook "a.example.com" denied the request: no'],
    [
      "refuses though failures are ignored",
      { failurePolicy: "Ignore" },
      deny,
      '418 admission webhook "a.example.com" denied the request: no',
    ],
    ["that does not answer refuses", {}, () => undefined, failing("a", 'failed to call webhook: Post "a": EOF')],
    [
      "that does not answer is passed over, if failures are ignored",
      { failurePolicy: "Ignore" },
      () => undefined,
      undefined,
    ],
    [
      "may not patch",
      {},
      patching(),
      failing("a", "received invalid webhook response: validating webhook may not return response.patch"),
    ],
    [
      "answers with a wrong type",
      {},
      () => ({ allowed: "yes" }),
      failing("a", "failed to call webhook: response.allowed: expected boolean, got string"),
    ],
  ])("%s", async (_what, more, answer, refusal) => {
    expect((await validate([webhook("a", more)], { a: answer })).refusal).toBe(refusal);
  });

  it("is recorded if skipped, with its position among the called ones", async () => {
    const webhooks = [webhook("other", { rules: [] }), webhook("a"), webhook("b", { failurePolicy: "Ignore" })];
    expect((await validate(webhooks, { a: allow })).notes).toEqual({
      "failed-open.validating.webhook.admission.k8s.io/round_0_index_1": "b.example.com",
    });
  });

  it("is called concurrently with all others, and one rejection is enough", async () => {
    const { refusal, calls } = await validate([webhook("a"), webhook("b"), webhook("c")], {
      a: allow,
      b: deny,
      c: allow,
    });
    expect([refusal, calls.map(({ url }) => url)]).toEqual([
      '418 admission webhook "b.example.com" denied the request: no',
      ["a", "b", "c"],
    ]);
  });

  it("has a timeout of ten seconds, or its own", async () => {
    const { calls } = await validate([webhook("a"), webhook("b", { timeoutSeconds: 3 })], { a: allow, b: allow });
    expect(calls.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 3_000]);
  });

  it("returns warnings, and annotations under its name if the key is valid", async () => {
    const auditAnnotations = { good: "a", "not a key": "b", "two/parts": "c" };
    const { warnings, notes } = await validate([webhook("a")], {
      a: () => ({ allowed: true, warnings: ["careful"], auditAnnotations }),
    });
    expect([warnings, notes]).toEqual([["careful"], { "a.example.com/good": "a" }]);
  });

  it.each<[string | undefined, boolean]>([
    ["None", true],
    ["NoneOnDryRun", true],
    ["Some", false],
    ["Unknown", false],
    [undefined, false],
  ])("with side effects %s may be called in a dry run: %s", async (sideEffects, may) => {
    const { sideEffects: _own, ...rest } = webhook("a");
    const asked = { ...rest, ...(sideEffects === undefined ? {} : { sideEffects }) };
    const refusal = '400 admission webhook "a.example.com" does not support dry run';
    const { refusal: problem, calls } = await validate([asked], { a: allow }, { dryRun: true });
    expect([problem, calls.length]).toEqual(may ? [undefined, 1] : [refusal, 0]);
    expect((await validate([asked], { a: allow })).refusal).toBeUndefined();
  });

  it("is not called for admission configurations, nor after the request has ended", async () => {
    const resource = {
      group: "admissionregistration.k8s.io",
      version: "v1",
      resource: "mutatingwebhookconfigurations",
    };
    expect((await validate([webhook("a")], { a: deny }, { resource })).calls).toEqual([]);
    const over = await validate([webhook("a")], { a: allow }, { signal: AbortSignal.abort() });
    expect([over.refusal, over.calls]).toEqual(["504 Timeout: request did not complete within requested timeout", []]);
    expect(
      (await validate([webhook("a", { rules: [] })], {}, { signal: AbortSignal.abort() })).refusal,
    ).toBeUndefined();
  });
});

/** @see apiserver pkg/admission/plugin/webhook/mutating dispatcher.go */
describe("a mutating webhook", () => {
  it("changes the object, and the next one sees the change", async () => {
    const seen: unknown[] = [];
    const b: FakeResponse = ({ review }) => {
      const { metadata } = review.object as Unstructured;
      seen.push(metadata.labels);
      return { allowed: true };
    };
    const { labels, notes } = await mutate([webhook("a"), webhook("b")], { a: labelling("a"), b });
    expect([labels, seen]).toEqual([{ app: "web", a: "yes" }, [{ app: "web", a: "yes" }]]);
    const note = (url: string, mutated: boolean): string =>
      JSON.stringify({ configuration: "c", webhook: `${url}.example.com`, mutated });
    expect(notes).toEqual({
      "mutation.webhook.admission.k8s.io/round_0_index_0": note("a", true),
      "mutation.webhook.admission.k8s.io/round_0_index_1": note("b", false),
    });
  });

  const undecodable = (why: string): string => failing("a", `received undecodable patch in webhook response: ${why}`);
  const withPatch =
    (patch: string, patchType = "JSONPatch"): FakeResponse =>
    () => ({ allowed: true, patch, patchType });
  it.each<[string, FakeResponse, string | undefined]>([
    ["refuses", deny, '418 admission webhook "a.example.com" denied the request: no'],
    ["does not answer", () => undefined, failing("a", 'failed to call webhook: Post "a": EOF')],
    ["sends null for a patch", withPatch(base64(null)), undefined],
    ["sends no steps", withPatch(base64([])), undefined],
    ["sends an object for a patch", withPatch(base64({})), undecodable("expected array, got object")],
    [
      "sends a number for a step",
      withPatch(base64([{ op: "test", path: "/kind", value: "Pod" }, 1])),
      undecodable("[1]: expected object, got number"),
    ],
    [
      "sends no JSON",
      withPatch(Buffer.from("[").toString("base64")),
      undecodable("not valid JSON: Unexpected end of JSON input"),
    ],
    ["sends a patch of another type", withPatch(base64([{}]), "Merge"), failing("a", 'unsupported patch type "Merge"')],
    [
      "sends a step that does nothing known",
      withPatch(base64([null])),
      "500 Internal error occurred: Unexpected kind: unknown",
    ],
    [
      "sends a step that fails",
      patching({ op: "remove", path: "/spec/gone" }),
      "500 Internal error occurred: error in remove for path: '/spec/gone': Unable to remove nonexistent key: gone: missing value",
    ],
    [
      "makes something else of it",
      patching({ op: "replace", path: "/kind", value: 1 }),
      "500 Internal error occurred: kind: expected string, got number",
    ],
  ])("that %s", async (_what, answer, refusal) => {
    const outcome = await mutate([webhook("a")], { a: answer });
    expect([outcome.refusal, outcome.labels]).toEqual([refusal, { app: "web" }]);
  });

  it("is recorded if skipped", async () => {
    const { refusal, notes } = await mutate([webhook("a", { failurePolicy: "Ignore" })], {});
    expect([refusal, notes["failed-open.mutation.webhook.admission.k8s.io/round_0_index_0"]]).toEqual([
      undefined,
      "a.example.com",
    ]);
    const over = await mutate([webhook("a", { failurePolicy: "Ignore" })], {}, { signal: AbortSignal.abort() });
    expect(over.refusal).toBe("504 Timeout: request did not complete within requested timeout");
  });

  it("cannot change a missing object", async () => {
    const { refusal } = await mutate([webhook("a")], { a: labelling("a") }, { operation: "DELETE", object: undefined });
    expect(refusal).toMatch(/^500 .*"a.example.com" attempted to modify the object, which is not supported/);
  });

  it("is not called for admission configurations", async () => {
    const resource = {
      group: "admissionregistration.k8s.io",
      version: "v1",
      resource: "mutatingwebhookconfigurations",
    };
    expect((await mutate([webhook("a")], { a: deny }, { resource })).calls).toEqual([]);
  });
});

/** @see apiserver pkg/admission/plugin/webhook/mutating reinvocationcontext.go */
describe("a mutating webhook is called again", () => {
  const ifNeeded = { reinvocationPolicy: "IfNeeded" } as const;

  it("if it allows this, and a later one changed the object", async () => {
    const webhooks = [webhook("a", ifNeeded), webhook("b"), webhook("c", ifNeeded)];
    const { reinvocation, again } = await mutate(webhooks, { a: allow, b: labelling("b"), c: allow });
    expect(reinvocation.isWanted).toBe(true);
    expect(await again()).toEqual(["a"]);
  });

  it("not if nothing changed", async () => {
    const { reinvocation, again } = await mutate([webhook("a", ifNeeded), webhook("b")], { a: allow, b: allow });
    expect(reinvocation.isWanted).toBe(false);
    expect(await again()).toEqual([]);
  });

  it("not if its patch leaves the object unchanged", async () => {
    const same = patching({ op: "test", path: "/metadata/name", value: "web" });
    const { reinvocation } = await mutate([webhook("a", ifNeeded)], { a: same });
    expect(reinvocation.isWanted).toBe(false);
  });

  it("if others changed the object in between, even if it was skipped", async () => {
    const webhooks = [webhook("a", { ...ifNeeded, failurePolicy: "Ignore" }), webhook("b", ifNeeded), webhook("c")];
    const { again } = await mutate(webhooks, { b: allow, c: allow });
    expect(await again((pod) => Object.assign(pod.metadata, { labels: {} }))).toEqual(["a", "b"]);
  });
});
