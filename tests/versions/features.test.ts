import { versionNeeds } from "@kubewright/apiextensions";
import {
  cel,
  defineKind,
  isBadRequest,
  isInvalid,
  isNoMatch,
  kubernetesVersion,
  unstructured,
  withRules,
} from "@kubewright/apimachinery";
import { InformerCache } from "@kubewright/cache";
import { Client, Connection, type ConnectionRequest } from "@kubewright/client";
import { applyManifests } from "@kubewright/client/apply";
import { ConfigMap, CustomResourceDefinition } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { Type } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A connection that records the paths of its requests. */
class RecordingConnection extends Connection {
  readonly paths: string[] = [];

  override request(request: ConnectionRequest): ReturnType<Connection["request"]> {
    this.paths.push(request.path);
    return super.request(request);
  }
}

let env: Environment;
let connection: RecordingConnection;
let client: Client;
/** Minor version of the server. */
let minor: number;
beforeAll(async () => {
  env = await Environment.start();
  connection = new RecordingConnection(env.connection());
  client = new Client({ connection, onWarning: () => {} });
  minor = Number.parseInt((await client.discovery.serverVersion()).minor, 10);
});
afterAll(async () => {
  await client?.close();
  await connection?.close();
  await env?.stop();
});

const newest = Number(kubernetesVersion.split(".")[1]);
const shop = { group: "shop.example.com", version: "v1", scope: "Namespaced" } as const;

it("runs against a supported version", () => {
  expect(minor).toBeGreaterThanOrEqual(30);
  if (env.bed === "embedded") expect(minor).toBe(newest);
});

it("discovers all kinds with two requests", async () => {
  connection.paths.length = 0;
  const other = new Client({ connection });
  expect((await other.discovery.resources()).length).toBeGreaterThan(50);
  expect(connection.paths).toEqual(["/api", "/apis"]);
});

it("fills a cache by a watch list where the server has it, and by a list and a watch elsewhere", async () => {
  await client.create(ConfigMap, { metadata: { name: "before", namespace: "default" } });
  const isServed = minor === 32 || minor >= 34;
  const streamed = async (): Promise<void> => {
    for await (const { type } of client.watch(ConfigMap, { sendInitialEvents: true, timeoutMs: 5_000 }))
      if (type === "BOOKMARK") return;
  };
  if (isServed) await streamed();
  else await expect(streamed()).rejects.toSatisfy(isInvalid);

  const stop = new AbortController();
  const cache = new InformerCache({ client });
  const running = cache.run(stop.signal);
  expect((await cache.list(ConfigMap, { namespace: "default" })).map(({ metadata }) => metadata.name)).toContain(
    "before",
  );
  const after = await client.create(ConfigMap, { metadata: { name: "after", namespace: "default" } });
  expect(await cache.caughtUp(ConfigMap, after)).toBe(true);
  stop.abort();
  await running;
});

it("reports a field selector that the server does not have, and stores the definition", async () => {
  const kind = defineKind({
    ...shop,
    kind: "Field",
    spec: Type.Object({ zone: Type.String() }),
    selectableFields: [".spec.zone"],
  });
  await env.installCrds([kind]);
  for (const zone of ["a", "b"])
    await client.create(kind, { metadata: { name: zone, namespace: "default" }, spec: { zone } });
  const list = client.list(kind, { namespace: "default", fields: { "spec.zone": "a" } });
  if (minor >= 31) expect((await list).map(({ metadata }) => metadata.name)).toEqual(["a"]);
  else await expect(list).rejects.toSatisfy(isBadRequest);
  const { spec } = await client.get(CustomResourceDefinition, "fields.shop.example.com");
  expect(spec.versions[0]?.selectableFields).toEqual(minor >= 31 ? [{ jsonPath: ".spec.zone" }] : undefined);
  expect(versionNeeds(kind.crd, minor)).toHaveLength(minor >= 31 ? 0 : 1);
});

it("keeps unchanged values that became invalid", async () => {
  const kind = (maxLength: number) =>
    defineKind({ ...shop, kind: "Old", spec: Type.Object({ text: Type.String({ maxLength }), n: Type.Integer() }) });
  await env.installCrds([kind(9)]);
  const key = { name: "a", namespace: "default" };
  await client.create(kind(9), { metadata: key, spec: { text: "123456", n: 1 } });
  await env.installCrds([kind(3)]);
  const change = (spec: object) => client.patch(kind(3), key, { spec });
  await expect.poll(() => change({ text: "1234567" }).then(() => "accepted", isInvalid)).toBe(true);
  expect((await change({ n: 2 })).spec).toEqual({ text: "123456", n: 2 });
});

it("refuses unknown fields with strict validation, and applies the other objects", async () => {
  const pod = { containers: [{ name: "a", image: "a" }] };
  const deployment = (name: string, spec: object) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { ...pod, ...spec } },
    },
  });
  // Upstream added the first field in 1.32 and the second in 1.34.
  const objects = [
    deployment("resources", { resources: { limits: { cpu: "1" } } }),
    deployment("hostname", { hostnameOverride: "a" }),
    deployment("plain", {}),
  ];
  const results: string[] = [];
  for await (const { outcome, name, reason = "" } of applyManifests(
    client,
    objects.map((object) => ({ object, source: "" })),
  ))
    results.push(`${outcome} ${name}: ${reason}`);
  const refused = (name: string, field: string) =>
    expect.stringMatching(
      new RegExp(
        `^failed deployment.apps/${name} .*\\.spec\\.template\\.spec\\.${field}: field not declared in schema`,
      ),
    );
  const applied = (name: string) => `applied deployment.apps/${name} in default: `;
  expect(results).toEqual([
    minor >= 32 ? applied("resources") : refused("resources", "resources"),
    minor >= 34 ? applied("hostname") : refused("hostname", "hostnameOverride"),
    applied("plain"),
  ]);
  const strict = client.create(
    unstructured({ apiVersion: "apps/v1", kind: "Deployment" }),
    deployment("unknown", { nope: 1 }),
    { fieldValidation: "Strict" },
  );
  await expect(strict).rejects.toThrow('unknown field "spec.template.spec.nope"');
});

it.each([
  ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", 30],
  ["admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", 36],
  ["certificates.k8s.io/v1", "ClusterTrustBundle", 37],
  ["coordination.k8s.io/v1beta1", "LeaseCandidate", Number.POSITIVE_INFINITY], // only behind a feature gate
])("reports that %s %s is not served before 1.%i", async (apiVersion, kind, since) => {
  const listed = client.list(unstructured({ apiVersion, kind }));
  if (minor >= since) expect(await listed).toEqual(expect.any(Array));
  else await expect(listed).rejects.toSatisfy(isNoMatch);
});

describe("a rule of a definition that check", () => {
  const definition = (name: string, rule: string) =>
    defineKind({
      ...shop,
      kind: `Rule${name}`,
      spec: withRules(
        Type.Object({ text: Type.String({ maxLength: 9 }), list: Type.Array(Type.Integer(), { maxItems: 9 }) }),
        [cel(rule, "is not valid")],
      ),
    }).crd;
  const rules = [
    "ip(self.text).family() == 4",
    "isCIDR(self.text)",
    "!format.dns1123Label().validate(self.text).hasValue()",
    "self.list.all(i, v, v > i)",
    "self.list.transformList(i, v, v + i).size() < 3",
    "self.list.first().hasValue()",
    "semver('1.0.0').major() == 1",
    "self.list.sort() == self.list",
    "self.list.sortBy(x, -x) == self.list",
    "self.list.all(x, x > 0) && self.list.isSorted() && sets.contains(self.list, [1])",
    "'%s'.format([self.text]) == self.text && self.text.find('b') == 'b'",
    "quantity('1k').isGreaterThan(quantity('1')) && url('https://a').getHost() == 'a'",
    "optional.of(self.text).optMap(t, t.size()).orValue(0) < 3",
  ];

  it.each(rules.map((rule, i) => ({ rule, i })))(
    "refuses is refused by the server, and else accepted: $rule",
    async ({ rule, i }) => {
      const crd = definition(`${i}`, rule);
      const needs = versionNeeds(crd, minor);
      const created = client.create(CustomResourceDefinition, crd, { dryRun: true });
      if (needs.length === 0) expect((await created).metadata.name).toBe(crd.metadata.name);
      else await expect(created).rejects.toThrow("undeclared reference");
      for (const need of needs) expect(need.minor).toBeGreaterThan(minor);
    },
  );
});

it("ignores formats that the server does not have, as check reports", async () => {
  const kind = defineKind({
    ...shop,
    kind: "Format",
    spec: Type.Object({ name: Type.String({ format: "k8s-short-name" }) }),
  });
  await env.installCrds([kind]);
  const created = client.create(
    kind,
    { metadata: { name: "a", namespace: "default" }, spec: { name: "Not_Valid" } },
    { dryRun: true },
  );
  if (versionNeeds(kind.crd, minor).length > 0) expect((await created).spec.name).toBe("Not_Valid");
  else await expect(created).rejects.toSatisfy(isInvalid);
});
