import { defineKind, forbidden as forbiddenError, notFound, typedSchema } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { invalid } from "../admission/refusal.ts";
import { denied } from "../admission/response.ts";
import { admission } from "../admission.ts";
import { admissionHandler } from "../admission-handler.ts";
import type { CertificateClient } from "../certificates/certificate-client.ts";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import { conversion } from "../conversion.ts";
import { pair, RunningServer, reviewOf } from "../testing/running-server.ts";
import type { Webhook } from "../webhook.ts";

const site = { group: "shop.example.com", kind: "Site", scope: "Namespaced" } as const;
const Old = defineKind({ ...site, version: "v1alpha1", spec: typedSchema<{ note?: string }>({ type: "object" }) });
const Site = defineKind({
  ...site,
  version: "v1",
  spec: typedSchema<{ message?: string; size?: number }>({ type: "object" }),
});
type Loose = { readonly spec: Readonly<Record<string, unknown>> };

/** Field `note` of v1alpha1 is `message` in v1. */
const converted = conversion({
  hub: Site,
  spokes: [
    {
      kind: Old,
      toHub: (one) => ({ ...one, spec: { message: (one as unknown as Loose).spec.note } }),
      fromHub: (one) => ({ ...one, spec: { note: (one as unknown as Loose).spec.message } }),
    },
  ],
});
const webhooks = admission(Site)
  .default((draft) => {
    draft.spec.message ??= "hello";
    draft.metadata.labels = { ...draft.metadata.labels, seen: "yes" };
  })
  .validate({
    update: (object, old) => {
      if (object.spec.message !== old.spec.message) throw invalid("spec.message", object.spec.message, "is immutable");
    },
  });

const service = { namespace: "shop-system", name: "shop-webhook-service" };
const entry = (name: string, path: string, resources = ["sites"]) => ({
  name,
  clientConfig: { service: { ...service, path } },
  rules: [{ operations: ["CREATE"], apiGroups: ["shop.example.com"], apiVersions: ["v1alpha1"], resources }],
});
const mutating = [entry("default.site.v1alpha1.shop.example.com", "/mutate-shop-example-com-v1alpha1-site")];
const validating = [
  entry("validate.site.v1alpha1.shop.example.com", "/validate-shop-example-com-v1alpha1-site"),
  entry("validate.pool.v1.shop.example.com", "/validate-shop-example-com-v1-pool", ["pools"]),
];

const names = { mutatingWebhookConfigurations: ["m"], validatingWebhookConfigurations: ["v"] };
const source: CertificateSource = {
  current: pair,
  caBundle: pair.ca,
  check: () => {},
  onChange: () => () => {},
  run: async () => {},
  describe: () => ({ service, ...names, customResourceDefinitions: [] }),
};

/** Starts a server whose cluster has these configurations, or rejects reads with the thrown error. */
async function start(some: readonly Webhook[], read: (name: string) => readonly object[] = configured) {
  const clock = new FakeClock();
  const get = async (_kind: unknown, name: string): Promise<unknown> => ({
    metadata: { name, resourceVersion: "1" },
    webhooks: read(name),
  });
  const unused = (): never => expect.unreachable();
  const client: CertificateClient = {
    get: get as unknown as Reader["get"], // returns objects as an API server does
    create: unused,
    update: unused,
    apply: unused,
    patch: unused,
  };
  const running = await RunningServer.start(some, { certificates: source, certificateClient: client, clock });
  return { running, clock };
}
const configured = (name: string) => (name === "m" ? mutating : validating);

const objectOf = (version: string, spec: object) => ({
  apiVersion: `shop.example.com/${version}`,
  kind: "Site",
  metadata: { name: "north", namespace: "shop" },
  spec,
});
const asked = (operation: string, object: object | undefined, more: object = {}, resource = "sites") =>
  reviewOf({
    operation,
    kind: { group: "shop.example.com", version: "v1alpha1", kind: "Site" },
    resource: { group: "shop.example.com", version: "v1alpha1", resource },
    object,
    ...more,
  });
const patchOf = ({ patch }: { readonly patch: string }): unknown => JSON.parse(Buffer.from(patch, "base64").toString());

it("lets the current webhook answer at the former path, in its own version", async () => {
  const { running } = await start([webhooks, converted]);
  await using server = running;
  await expect.poll(() => server.server.check()).toBeUndefined();
  const path = "/validate-shop-example-com-v1alpha1-site";
  const old = objectOf("v1alpha1", { note: "a" });
  const same = await server.post(path, asked("UPDATE", old, { oldObject: old }));
  expect(same.review.response).toMatchObject({ allowed: true });
  const changed = await server.post(path, asked("UPDATE", objectOf("v1alpha1", { note: "b" }), { oldObject: old }));
  expect(changed.review.response).toMatchObject({ allowed: false, status: { code: 422 } });
  expect(changed.review.response.status.message).toContain("spec.message: Invalid value");
  // The current webhook ignores it.
  const created = await server.post(path, asked("CREATE", objectOf("v1alpha1", { note: "b" })));
  expect(created.review.response).toMatchObject({ allowed: true });
  expect(created.review.response.warnings).toBeUndefined();

  const defaulted = await server.post(
    "/mutate-shop-example-com-v1alpha1-site",
    asked("CREATE", objectOf("v1alpha1", {})),
  );
  expect(patchOf(defaulted.review.response)).toEqual(
    expect.arrayContaining([
      { op: "add", path: "/metadata/labels", value: { seen: "yes" } },
      { op: "add", path: "/spec/note", value: "hello" },
    ]),
  );
  expect(patchOf(defaulted.review.response)).toHaveLength(2);
});

it("rejects objects that it cannot convert, rather than letting them pass unvalidated", async () => {
  const { running } = await start([webhooks]);
  await using server = running;
  await expect.poll(() => server.server.check()).toBeUndefined();
  const object = objectOf("v1alpha1", { note: "a" });
  const { review } = await server.post(
    "/validate-shop-example-com-v1alpha1-site",
    asked("UPDATE", object, { oldObject: object }),
  );
  expect(review.response).toMatchObject({ allowed: false, status: { code: 500 } });
  expect(review.response.status.message).toBe(
    'webhook "validate.site.v1alpha1.shop.example.com": the program cannot convert shop.example.com/v1alpha1, Kind=Site to shop.example.com/v1',
  );
});

it("relabels versions that the API server relabels", async () => {
  const crd = {
    ...Site.crd,
    spec: {
      ...Site.crd.spec,
      versions: ["v1", "v1alpha1"].map((name) => ({ ...Site.crd.spec.versions[0], name })),
    },
  };
  const Relabelled = { ...Site, crd };
  const relabelled = admission(Relabelled).validate({
    create: ({ apiVersion }) => {
      throw invalid("apiVersion", apiVersion, "was seen");
    },
  });
  const { running } = await start([relabelled]);
  await using server = running;
  await expect.poll(() => server.server.check()).toBeUndefined();
  const { review } = await server.post(
    "/validate-shop-example-com-v1alpha1-site",
    asked("CREATE", objectOf("v1alpha1", {})),
  );
  expect(review.response.status.message).toContain('apiVersion: Invalid value: "shop.example.com/v1": was seen');
});

it("does not call the current webhook for operations outside its rules", async () => {
  const rules = [{ kind: Site, operations: ["CREATE"] as const }];
  const raw = admissionHandler("/checks", { type: "validating", rules }, () => denied("was asked"));
  const { running } = await start([raw, converted]);
  await using server = running;
  await expect.poll(() => server.server.check()).toBeUndefined();
  const object = objectOf("v1alpha1", { note: "a" });
  const post = (operation: string) =>
    server.post("/validate-shop-example-com-v1alpha1-site", asked(operation, object, { oldObject: object }));
  expect((await post("CREATE")).review.response).toMatchObject({ allowed: false, status: { message: "was asked" } });
  expect((await post("UPDATE")).review.response).toMatchObject({ allowed: true });
});

it("allows, with a warning, requests that no current webhook handles", async () => {
  const { running } = await start([webhooks, converted]);
  await using server = running;
  await expect.poll(() => server.server.check()).toBeUndefined();
  const { review } = await server.post(
    "/validate-shop-example-com-v1-pool",
    asked("CREATE", objectOf("v1", {}), {}, "pools"),
  );
  expect(review.response).toMatchObject({
    allowed: true,
    warnings: [
      'webhook "validate.pool.v1.shop.example.com" is no longer part of its program; it allows every request until its entry is removed',
    ],
  });
  expect((await server.post("/validate-shop-example-com-v2-pool", asked("CREATE", {}))).status).toBe(404);
});

it("is not ready before it knows the paths, and follows changes", async () => {
  let read: (name: string) => readonly object[] = () => {
    throw new Error("no route to host");
  };
  const { running, clock } = await start([webhooks, converted], (name) => read(name));
  await using server = running;
  const path = "/validate-shop-example-com-v1alpha1-site";
  await expect.poll(() => clock.waiting).toBeGreaterThan(0);
  await expect(server.server.check()).rejects.toThrow("the webhook configurations could not be read: no route to host");
  expect((await server.post(path, asked("CREATE", {}))).status).toBe(404);
  read = configured;
  await clock.advance(1_000);
  await expect.poll(() => server.server.check()).toBeUndefined();
  expect((await server.post(path, asked("CREATE", objectOf("v1alpha1", {})))).status).toBe(200);
  // Known paths stay if they cannot be read again.
  read = () => {
    throw new Error("no route to host");
  };
  await clock.advance(30_000);
  await server.server.check();
  expect((await server.post(path, asked("CREATE", objectOf("v1alpha1", {})))).status).toBe(200);
  read = () => {
    throw notFound({ group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" }, "v");
  };
  await clock.advance(30_000);
  await expect.poll(async () => (await server.post(path, asked("CREATE", {}))).status).toBe(404);
});

it("is ready if its role does not allow reading the configurations", async () => {
  const { running } = await start([webhooks], () => {
    throw forbiddenError(
      { group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" },
      "v",
      "",
    );
  });
  await using server = running;
  await expect.poll(() => server.server.check()).toBeUndefined();
});
