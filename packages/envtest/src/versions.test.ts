import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { text } from "node:stream/consumers";
import {
  cel,
  defineKind,
  type KubeObject,
  parseJson,
  preserving,
  spoke,
  stringifyJson,
  versions,
  withConversionWebhook,
  withRules,
} from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { Type } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiRequests } from "./bed/api-requests.ts";
import { Environment } from "./environment.ts";

const assets = process.env.KUBEBUILDER_ASSETS ?? "";
const beds: { bed: "embedded" | "real"; folder: string }[] = [
  { bed: "embedded", folder: "" },
  ...(assets === "" ? [] : [{ bed: "real" as const, folder: assets }]),
];

const shared = { group: "shop.example.com", scope: "Namespaced" } as const;
const address = withRules(Type.Object({ host: Type.String({ maxLength: 99 }), port: Type.Integer() }), [
  cel("self.port > 0", { messageExpression: "'the port of ' + self.host + ' is not valid'", fieldPath: ".port" }),
]);
const SiteV1 = defineKind({
  ...shared,
  version: "v1",
  kind: "Site",
  spec: Type.Object({
    address,
    min: Type.Integer({ default: 0 }),
    max: Type.Integer({ default: 1 }),
    serial: Type.Optional(Type.Integer()),
  }),
  status: Type.Object({ ready: Type.Optional(Type.Boolean()) }),
  rules: {
    "": [cel("!self.metadata.name.startsWith('x')", "names must not start with x")],
    spec: [
      cel("self.min <= self.max", "min must not exceed max"),
      cel("!oldSelf.hasValue() || self.address.host == oldSelf.value().address.host", {
        message: "is immutable",
        reason: "FieldValueForbidden",
        fieldPath: ".address.host",
        optionalOldSelf: true,
      }),
    ],
    status: [cel("has(self.ready)", "ready must be said")],
  },
});
const SiteV1Beta1 = defineKind({
  ...shared,
  version: "v1beta1",
  kind: "Site",
  deprecated: "use v1",
  spec: Type.Object({ hostPort: Type.String({ default: "h:1" }) }),
  columns: [{ name: "Address", type: "string", jsonPath: ".spec.hostPort" }],
  selectableFields: [".spec.hostPort"],
});
const Site = versions(SiteV1, {
  spokes: [
    spoke(
      SiteV1Beta1,
      preserving({
        toHub: ({ spec: { hostPort } }) => {
          const [host = "", port] = hostPort.split(":");
          return { spec: { address: { host, port: Number(port) }, min: 0, max: 1 } };
        },
        fromHub: ({ spec: { address } }) => ({ spec: { hostPort: `${address.host}:${address.port}` } }),
      }),
    ),
  ],
});
/** A definition with two versions that have the same fields. */
const Shop = versions(defineKind({ ...shared, version: "v1", kind: "Shop", spec: Type.Object({ a: Type.String() }) }), {
  spokes: [spoke(defineKind({ ...shared, version: "v1beta1", kind: "Shop", spec: Type.Object({ a: Type.String() }) }))],
});
/** A definition with a conversion webhook that does not exist. */
const Stall = versions(
  defineKind({ ...shared, version: "v1", kind: "Stall", spec: Type.Object({ a: Type.String() }) }),
  {
    spokes: [
      spoke(defineKind({ ...shared, version: "v1beta1", kind: "Stall", spec: Type.Object({ b: Type.String() }) }), {
        toHub: ({ spec }) => ({ spec: { a: spec.b } }),
        fromHub: ({ spec }) => ({ spec: { b: spec.a } }),
      }),
    ],
  },
);

interface Review {
  request: { uid: string; desiredAPIVersion: string; objects: KubeObject[] };
}

/** A minimal conversion webhook. */
async function serveConversion(kind: typeof Site) {
  const authority = new CertificateAuthority("conversion-test");
  const { certificate: cert, key } = authority.issueServer("127.0.0.1", ["127.0.0.1"]);
  const server = createServer({ cert, key }, (request, response) => {
    void text(request).then((body) => {
      const review = parseJson(body) as Review;
      const { uid, objects, desiredAPIVersion } = review.request;
      const convertedObjects = objects.map((object) => kind.convert(object, desiredAPIVersion));
      response.setHeader("content-type", "application/json");
      response.end(stringifyJson({ ...review, response: { uid, convertedObjects, result: { status: "Success" } } }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    clientConfig: {
      url: `https://127.0.0.1:${port}/convert`,
      caBundle: Buffer.from(authority.certificate).toString("base64"),
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe.each(beds)("definitions on the $bed API server", ({ folder }) => {
  let env: Environment;
  let api: ApiRequests;
  let webhook: Awaited<ReturnType<typeof serveConversion>>;
  const path = (version: string, plural = "sites") => `/apis/shop.example.com/${version}/namespaces/default/${plural}`;
  const send = async (method: string, at: string, body?: object) => {
    const answer = await api.send(method, at, body);
    return { status: answer.status, body: parseJson(answer.text) as Record<string, never> & { message: string } };
  };
  const site = (name: string, spec: object) => ({
    apiVersion: "shop.example.com/v1",
    kind: "Site",
    metadata: { name },
    spec: { address: { host: "h", port: 1 }, ...spec },
  });

  beforeAll(async () => {
    webhook = await serveConversion(Site);
    env = await Environment.start({
      assets: folder,
      crds: [withConversionWebhook(Site.crd, webhook.clientConfig), Shop, Stall],
    });
    api = new ApiRequests(env.connection());
  });
  afterAll(async () => {
    api?.close();
    await env?.stop();
    await webhook?.[Symbol.asyncDispose]();
  });

  it("refuse objects that violate a rule, with the rule's message", async () => {
    const refused = async (name: string, spec: object) =>
      (await send("POST", path("v1"), site(name, spec))).body.message;
    expect(await refused("a", { min: 2 })).toMatch(
      /^Site\.shop\.example\.com "a" is invalid: spec: Invalid value: (?:"object": )?min must not exceed max$/, // older servers print the type
    );
    expect(await refused("x", {})).toContain("names must not start with x");
    expect(await refused("a", { address: { host: "h", port: 0 } })).toContain("spec.address.port: Invalid value: ");
    expect(await refused("a", { address: { host: "h", port: 0 } })).toContain("the port of h is not valid");

    const { status, body } = await send("POST", path("v1"), site("ruled", {}));
    expect(status).toBe(201);
    const changed = await send("PUT", `${path("v1")}/ruled`, { ...body, spec: { address: { host: "i", port: 1 } } });
    expect(changed.body.message).toContain("spec.address.host: Forbidden: is immutable");
    const silent = await send("PUT", `${path("v1")}/ruled/status`, { ...body, status: {} });
    expect(silent.body.message).toMatch(/status: Invalid value: (?:"object": )?ready must be said/);
  });

  it("serve an object in all versions without losing fields", async () => {
    await send("POST", path("v1"), site("both", { max: 5, serial: 7 }));
    const { body: beta } = await send("GET", `${path("v1beta1")}/both`);
    expect(beta).toMatchObject({ apiVersion: "shop.example.com/v1beta1", spec: { hostPort: "h:1" } });

    const { status } = await send("PUT", `${path("v1beta1")}/both`, { ...beta, spec: { hostPort: "h:2" } });
    expect(status).toBe(200);
    const { body: stored } = await send("GET", `${path("v1")}/both`);
    expect(stored.spec).toEqual({ address: { host: "h", port: 2 }, min: 0, max: 5, serial: 7 });
    expect(stored.metadata).not.toHaveProperty("annotations");
  });

  it("relabel objects whose versions have the same fields", async () => {
    const shop = { apiVersion: "shop.example.com/v1beta1", kind: "Shop", metadata: { name: "a" }, spec: { a: "b" } };
    expect((await send("POST", path("v1beta1", "shops"), shop)).status).toBe(201);
    const { body } = await send("GET", `${path("v1", "shops")}/a`);
    expect(body).toMatchObject({ apiVersion: "shop.example.com/v1", spec: { a: "b" } });
  });

  it("fail rather than lose fields without a webhook", async () => {
    const stall = (version: string, spec: object) => ({
      apiVersion: `shop.example.com/${version}`,
      kind: "Stall",
      metadata: { name: "a" },
      spec,
    });
    const { status, body } = await send("POST", path("v1beta1", "stalls"), stall("v1beta1", { b: "c" }));
    expect(status).toBe(500);
    expect(body.message).toContain("conversion webhook for shop.example.com/v1beta1, Kind=Stall failed: ");
    expect(body.message).toContain("conversion-webhook-not-installed.invalid");
    expect((await send("POST", path("v1", "stalls"), stall("v1", { a: "c" }))).status).toBe(201);
  });
});
