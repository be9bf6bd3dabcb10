import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiServer } from "@kubewright/kube-apiserver";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { at, type Call, caller, patchType, type ReceivedResponse } from "./caller.ts";

/** Names that every object inherits. */
const inherited = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
  "__lookupSetter__",
];
const configMaps = "/api/v1/namespaces/eve/configmaps";
const rbac = "/apis/rbac.authorization.k8s.io/v1";

const ownNames = Object.getOwnPropertyNames(Object.prototype);
const untouched = Object.getOwnPropertyDescriptors(Object.prototype);

function expectCleanPrototype(): void {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(ownNames);
  expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(untouched);
}

// after a successful attack, the next tests must not be affected
afterEach(() => {
  for (const name of Object.getOwnPropertyNames(Object.prototype))
    if (!ownNames.includes(name)) Reflect.deleteProperty(Object.prototype, name);
});

describe("a patch of a user's own ConfigMap that names __proto__ grants no permission", () => {
  let server: ApiServer;
  let admin: Call;
  let eve: Call;
  let anonymous: Call;
  const subject = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "eve" };
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false, authorization: ["RBAC"], users: [{ name: "eve" }] });
    [admin, eve, anonymous] = [caller(server), caller(server, "eve"), caller(server, "anonymous")];
    await admin("POST", "/api/v1/namespaces", { metadata: { name: "eve" } });
    await admin("POST", "/api/v1/namespaces/kube-system/secrets", { metadata: { name: "top" } });
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] }];
    await admin("POST", `${rbac}/namespaces/eve/roles`, { metadata: { name: "patcher" }, rules });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "patcher" };
    await admin("POST", `${rbac}/namespaces/eve/rolebindings`, {
      metadata: { name: "p" },
      roleRef,
      subjects: [subject],
    });
    await admin("POST", configMaps, { metadata: { name: "c" }, data: { k: "v" } });
  });
  afterAll(() => server.stop());

  const everything = '{"resources":["*"],"apiGroups":["*"],"verbs":["*"],"get":1,"set":1,"groups":["system:masters"]}';
  const applied = '"apiVersion":"v1","kind":"ConfigMap"';
  it.each([
    ["strategic-merge-patch+json", `{"__proto__":${everything}}`],
    ["strategic-merge-patch+json", `{"metadata":{"__proto__":${everything}}}`],
    ["strategic-merge-patch+json", `{"data":{"__proto__":${everything}}}`],
    ["strategic-merge-patch+json", `{"constructor":{"prototype":${everything}}}`],
    ["strategic-merge-patch+json", `{"$setElementOrder/__proto__":["x"],"__proto__":["x"]}`],
    ["strategic-merge-patch+json", `{"$deleteFromPrimitiveList/__proto__":["x"]}`],
    ["merge-patch+json", `{"__proto__":${everything}}`],
    ["merge-patch+json", `{"metadata":{"__proto__":${everything}}}`],
    ["merge-patch+json", `{"constructor":{"prototype":${everything}}}`],
    ["json-patch+json", `[{"op":"add","path":"/__proto__","value":${everything}}]`],
    ["json-patch+json", `[{"op":"add","path":"/__proto__/resources","value":["*"]}]`],
    ["json-patch+json", `[{"op":"add","path":"/metadata/constructor/prototype/resources","value":["*"]}]`],
    ["json-patch+json", `[{"op":"copy","from":"/metadata/labels","path":"/__proto__/labels"}]`],
    ["apply-patch+yaml", `{${applied},"metadata":{"name":"c"},"__proto__":${everything}}`],
    ["apply-patch+yaml", `{${applied},"metadata":{"name":"c","__proto__":${everything}}}`],
    ["apply-patch+yaml", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n__proto__: ${everything}`],
    ["apply-patch+yaml", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n<<: {__proto__: ${everything}}`],
  ])("%s %s", async (type, body) => {
    const { status } = await eve("PATCH", `${configMaps}/c?fieldManager=e`, body, patchType(type));
    expectCleanPrototype();
    expect([200, 422, 500]).toContain(status); // the real server answers 500 to fields that no schema declares
    const secret = "/api/v1/namespaces/kube-system/secrets/top";
    expect((await anonymous("GET", secret)).status).toBe(403);
    expect((await eve("GET", secret)).status).toBe(403);
    expect((await admin("GET", secret)).status).toBe(200);
  });
});

describe("names that every object inherits are data", () => {
  let server: ApiServer;
  let call: Call;
  let directory: string;
  const start = (): Promise<ApiServer> =>
    ApiServer.start({ tls: false, storage: { type: "journal", directory: join(directory, "store") } });
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "prototype-"));
    server = await start();
    call = caller(server);
    await call("POST", "/api/v1/namespaces", { metadata: { name: "eve" } });
    await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", anyDefinition);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const dataOf = async (name: string): Promise<unknown> =>
    at((await call("GET", `${configMaps}/${name}`)).body, "data");
  const data = (value: string) => Object.fromEntries(inherited.map((name) => [name, value]));

  const writes: Readonly<Record<string, (value: string) => readonly [type: string, body: string]>> = {
    "strategic merge": (value) => ["strategic-merge-patch+json", JSON.stringify({ data: data(value) })],
    merge: (value) => ["merge-patch+json", JSON.stringify({ data: data(value) })],
    "JSON patch": (value) => [
      "json-patch+json",
      JSON.stringify(inherited.map((name) => ({ op: "add", path: `/data/${name}`, value }))),
    ],
    apply: (value) => [
      "apply-patch+yaml",
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"all"},"data":${JSON.stringify(data(value))}}`,
    ],
    "apply of YAML": (value) => [
      "apply-patch+yaml",
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: all\ndata:\n${inherited.map((name) => `  ${name}: ${value}\n`).join("")}`,
    ],
    "apply of merged YAML": (value) => [
      "apply-patch+yaml",
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: all\ndata:\n  <<:\n${inherited.map((name) => `    ${name}: ${value}\n`).join("")}`,
    ],
  };

  it("keys of a ConfigMap survive every way of writing, reading and a new process", async () => {
    await call("POST", configMaps, { metadata: { name: "all" }, data: { ...data("created"), plain: "p" } });
    expect(await dataOf("all")).toEqual({ ...data("created"), plain: "p" });
    for (const [way, body] of Object.entries(writes)) {
      const value = way.replaceAll(" ", "-");
      const [type, text] = body(value);
      const query = `${configMaps}/all?fieldManager=a&force=true`;
      const answer = await call(
        "PATCH",
        type === "apply-patch+yaml" ? query : `${configMaps}/all`,
        text,
        patchType(type),
      );
      expect(answer.status, way).toBe(200);
      expect(await dataOf("all"), way).toEqual({ ...data(value), plain: "p" });
    }
    const protobuf = { accept: "application/vnd.kubernetes.protobuf" };
    const { bytes } = await call("GET", `${configMaps}/all`, undefined, protobuf);
    const wanted = { ...data("apply-of-merged-YAML"), plain: "p" };
    const type = { "content-type": "application/vnd.kubernetes.protobuf" };
    expect((await call("PUT", `${configMaps}/all`, bytes, type)).status).toBe(200);
    expect(await dataOf("all")).toEqual(wanted);
    const yaml = await call("GET", `${configMaps}/all`, undefined, { accept: "application/yaml" });
    expect((await call("PUT", `${configMaps}/all`, yaml.text, { "content-type": "application/yaml" })).status).toBe(
      200,
    );
    expect(await dataOf("all")).toEqual(wanted);
    const list = at((await call("GET", configMaps)).body, "items");
    expect(Array.isArray(list) && list.map((item) => at(item, "data"))).toContainEqual(wanted);
    const watch = await call("GET", `${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dall`);
    expect(at(JSON.parse(watch.text.split("\n")[0] ?? ""), "object", "data")).toEqual(wanted);

    await server.stop();
    server = await start();
    call = caller(server);
    expect(await dataOf("all")).toEqual(wanted);
    const removal = { data: Object.fromEntries(inherited.map((name) => [name, null])) };
    await call("PATCH", `${configMaps}/all`, removal, patchType("merge-patch+json"));
    expect(await dataOf("all")).toEqual({ plain: "p" });
    expectCleanPrototype();
  });

  it("are tracked in managed fields, so an applier owns such a key and releases it", async () => {
    const apply = (keys: readonly string[]): Promise<ReceivedResponse> => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owned" }, data: pairs(keys) };
      return call("PATCH", `${configMaps}/owned?fieldManager=o`, object, patchType("apply-patch+yaml"));
    };
    await apply(["plain", ...inherited]);
    await apply(["plain", "__proto__"]);
    expect(await dataOf("owned")).toEqual(pairs(["plain", "__proto__"]));
    await apply(["plain"]);
    expect(await dataOf("owned")).toEqual({ plain: "v" });
    expectCleanPrototype();
  });
  const pairs = (keys: readonly string[]) => Object.fromEntries(keys.map((name) => [name, "v"]));

  it("are matched as labels only on objects that have them", async () => {
    const name = inherited.filter((each) => !each.startsWith("_"));
    const labels = Object.fromEntries(name.map((each) => [each, "x"]));
    await call("POST", configMaps, { metadata: { name: "labelled", labels, annotations: labels } });
    for (const each of name) {
      const names = async (selector: string): Promise<unknown> => {
        const items = at(
          (await call("GET", `${configMaps}?labelSelector=${encodeURIComponent(selector)}`)).body,
          "items",
        );
        return Array.isArray(items) ? items.map((item) => at(item, "metadata", "name")) : items;
      };
      expect(await names(each)).toEqual(["labelled"]);
      expect(await names(`${each}=x`)).toEqual(["labelled"]);
      expect(await names(`!${each}`)).not.toContain("labelled");
      expect(await names(`!${each}`)).not.toEqual([]);
    }
    const wrong = { metadata: { name: "wrong", labels: data("x"), annotations: data("x") } };
    const { status, text } = await call("POST", configMaps, wrong);
    expect([status, text]).toEqual([422, expect.stringContaining('metadata.labels: Invalid value: \\"__proto__\\"')]);
    const unknown = await call("GET", `${configMaps}?fieldSelector=constructor%3Dx`);
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining("is not a known field selector")]);
    expectCleanPrototype();
  });

  it("are used for extra fields of a user without confusion", async () => {
    const { body } = await call(
      "POST",
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      {
        "impersonate-user": "x",
        "impersonate-extra-__proto__": "a",
        "impersonate-extra-%5F%5Fproto%5F%5F": "c",
        "impersonate-extra-constructor": "b",
      },
    );
    const extra = at(body, "status", "userInfo", "extra");
    expect(extra).toEqual(
      Object.fromEntries([
        ["__proto__", ["a", "c"]],
        ["constructor", ["b"]],
      ]),
    );
    expectCleanPrototype();
  });

  it.each([
    ["the kind of a Secret", "/api/v1/namespaces/eve/secrets", { metadata: { name: "s" }, type: "constructor" }, 201],
    [
      "a quota's scope",
      "/api/v1/namespaces/eve/resourcequotas",
      { metadata: { name: "q" }, spec: { scopes: ["toString"] } },
      422,
    ],
    [
      "what a token is bound to",
      "/api/v1/namespaces/eve/serviceaccounts/default/token",
      { spec: { boundObjectRef: { apiVersion: "v1", kind: "constructor", name: "x" } } },
      400,
    ],
    [
      "a format",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      definitionWith({ format: "constructor" }),
      201,
    ],
  ])("looks up %s among its own members", async (_what, path, body, wanted) => {
    await call("POST", "/api/v1/namespaces/eve/serviceaccounts", { metadata: { name: "default" } });
    const { status, text } = await call("POST", path, body);
    expect([status, text]).toEqual([wanted, expect.not.stringContaining("InternalError")]);
  });

  it("sets replicas at the path in a CRD, whatever that is", async () => {
    const more = { properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } };
    const scale = { specReplicasPath: ".spec.__proto__.replicas", statusReplicasPath: ".status.replicas" };
    await call(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      definition("Scaled", more, { scale }),
    );
    const scaleds = "/apis/example.com/v1/namespaces/eve/scaleds";
    const created = { apiVersion: "example.com/v1", kind: "Scaled", metadata: { name: "s" }, spec: {} };
    expect((await call("POST", scaleds, created)).status).toBe(201);
    const change = { spec: { replicas: 3 } };
    expect((await call("PATCH", `${scaleds}/s/scale`, change, patchType("merge-patch+json"))).status).toBe(200);
    expect(at((await call("GET", `${scaleds}/s`)).body, "spec", "__proto__", "replicas")).toBe(3);
    expectCleanPrototype();
  });

  it("preserves every object with any names, through every way of writing (fuzz)", async () => {
    const name = fc.oneof(
      fc.constantFrom(...inherited, "prototype", "get", "a"),
      fc.string({ minLength: 1, maxLength: 3 }),
    );
    const json = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(tie("value"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    })).object;
    const ways = fc.constantFrom("POST", "merge-patch+json", "json-patch+json", "apply-patch+yaml");
    const custom = "/apis/example.com/v1/namespaces/eve/anys";
    let count = 0;
    const property = fc.asyncProperty(json, json, ways, async (first, second, way) => {
      const typed = (spec: unknown) => ({
        apiVersion: "example.com/v1",
        kind: "Any",
        metadata: { name: `f${count}` },
        spec,
      });
      count++;
      const path = `${custom}/f${count}`;
      const created = await call("POST", custom, typed(first));
      expect([created.status, at(created.body, "spec")]).toEqual([201, first]);
      if (way !== "POST") {
        const body =
          way === "json-patch+json"
            ? [{ op: "replace", path: "/spec", value: second }]
            : way === "merge-patch+json"
              ? { spec: { in: second } }
              : typed(second);
        const query = way === "apply-patch+yaml" ? "?fieldManager=f&force=true" : "";
        const patched = await call("PATCH", `${path}${query}`, body, patchType(way));
        expect(patched.status).toBe(200);
        const spec = at(patched.body, "spec");
        if (way === "json-patch+json") expect(spec).toEqual(second);
        if (way === "merge-patch+json") expect(at(spec, "in")).toEqual(second);
        for (const [key, value] of Object.entries(second))
          if (way === "apply-patch+yaml" && typeof value !== "object") expect(at(spec, key)).toEqual(value);
      }
      const yaml = await call("GET", path, undefined, { accept: "application/yaml" });
      const written = await call("PUT", path, yaml.text, { "content-type": "application/yaml" });
      expect([written.status, at(written.body, "spec")]).toEqual([200, at((await call("GET", path)).body, "spec")]);
      expectCleanPrototype();
    });
    await fc.assert(property, { seed: 20_261_122, numRuns: 60 });
  }, 60_000);
});

const anyDefinition = definition("Any", { "x-kubernetes-preserve-unknown-fields": true });

function definition(kind: string, more: object, subresources = {}): object {
  const plural = `${kind.toLowerCase()}s`;
  const openAPIV3Schema = { type: "object", ...more };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources }],
    },
  };
}

function definitionWith(property: object): object {
  return definition("Formatted", { properties: { spec: { type: "string", ...property } } });
}
