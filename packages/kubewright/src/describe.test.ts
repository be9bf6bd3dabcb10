import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { type ProgramDescription, rbacOf } from "@kubewright/rbac";
import { Type } from "typebox";
import { afterEach, describe, expect, it } from "vitest";
import {
  Cluster,
  controllerManagedBy,
  defineKind,
  enqueueRequestForObject,
  enqueueRequestsFromMapFunc,
  kindSource,
  Manager,
  silentLogger,
  spoke,
  unstructured,
  versions,
} from "./index.ts";
import { ConfigMap, Deployment, Pod, Secret } from "./kinds.ts";
import { admission, conversion } from "./webhooks.ts";

const type = { group: "shop.example.com", kind: "Site", scope: "Namespaced" } as const;
const spec = Type.Object({ image: Type.String() });
const V1 = defineKind({ ...type, version: "v1", spec });
const Site = versions(V1, {
  spokes: [
    spoke(defineKind({ ...type, version: "v1beta1", spec }), {
      toHub: ({ spec }) => ({ spec }),
      fromHub: ({ spec }) => ({ spec }),
    }),
  ],
});
const Policy = defineKind({ ...type, kind: "Policy", version: "v1", spec });
const bare = { metrics: { bindAddress: "0" }, logger: silentLogger, connection: { server: "http://127.0.0.1:1" } };
const nothing = async (): Promise<void> => {};

describe("Manager.describe", () => {
  it("returns kinds, controllers, webhooks, caches, permissions and names", () => {
    const manager = new Manager({
      ...bare,
      name: "shop",
      leaderElection: { id: "shop.example.com" },
      cacheOptions: { namespaces: ["b", "a"] },
      metrics: { bindAddress: ":8443", authenticate: true },
      health: { bindAddress: "0.0.0.0:8081" },
    });
    controllerManagedBy(manager)
      .for(Site)
      .owns(Deployment)
      .watches(ConfigMap, enqueueRequestForObject())
      .needs(Secret, ["get"], { names: ["token"] })
      .complete(nothing);
    manager.webhooks.add(
      admission(Site)
        .default(() => {})
        .validate({ create: () => {}, delete: () => {} }),
      conversion(Site),
    );
    manager.needs(Pod, ["get"], { subResource: "log" });
    manager.defines(Policy);

    const description: ProgramDescription = manager.describe(); // generators do not depend on the manager

    const site = { group: "shop.example.com", version: "v1", kind: "Site", plural: "sites", scope: "Namespaced" };
    expect(description).toMatchObject({
      name: "shop",
      kinds: [{ kind: "Policy" }, { ...site, crd: Site.crd }],
      controllers: [
        { name: "site", for: site, owns: [{ plural: "deployments" }], watches: [{ plural: "configmaps" }] },
      ],
      webhooks: [
        {
          type: "mutating",
          path: "/mutate-shop-example-com-v1-site",
          resource: site,
          operations: ["CREATE", "UPDATE"],
        },
        { type: "validating", resource: site, operations: ["CREATE", "DELETE"] },
        { type: "conversion", path: "/convert", resource: site, operations: [] },
      ],
      permissions: [
        { group: "", resource: "pods/log", verbs: ["get"] },
        { group: "", resource: "secrets", verbs: ["get"], resourceNames: ["token"] },
      ],
      caches: [{ namespaces: ["a", "b"] }],
      leaderElection: { id: "shop.example.com" },
      events: "events.k8s.io",
      metrics: { isAuthenticated: true, isSecure: false, port: 8443 },
      health: { port: 8081 },
    });
    expect(manager.describe().webhookConfigurations).toMatchObject([
      { kind: "MutatingWebhookConfiguration" },
      { kind: "ValidatingWebhookConfiguration" },
      { kind: "CustomResourceDefinition", spec: { conversion: { strategy: "Webhook" } } },
    ]);
    expect([...rbacOf(description).objects.keys()]).toContain("leader_election_role.yaml");
  });

  it("lists kinds that a controller watches, owns or maps from once each, without external kinds", () => {
    const manager = new Manager(bare);
    const of = (kind: string) => defineKind({ ...type, kind, version: "v1", spec });
    const [Part, Foreign, Bill] = [of("Part"), of("Foreign"), of("Bill")];
    const External = unstructured({ apiVersion: "other.example.com/v1", kind: "Certificate" });
    const map = enqueueRequestsFromMapFunc(() => []);
    controllerManagedBy(manager)
      .for(V1)
      .owns(Part)
      .owns(Deployment)
      .watches(Policy, map)
      .watches(Foreign, map, { isDefinedHere: false })
      .watches(External, map)
      .complete(nothing);
    controllerManagedBy(manager).for(Bill, { isDefinedHere: false }).watches(Policy, map).owns(V1).complete(nothing);
    const description = manager.describe();
    expect(description.kinds.map(({ kind, crd }) => [kind, crd])).toEqual([
      ["Site", V1.crd],
      ["Part", Part.crd],
      ["Policy", Policy.crd],
    ]);
    const text = JSON.stringify(rbacOf(description).objects.get("role.yaml"));
    for (const plural of ["sites", "parts", "policies", "foreigns", "certificates", "bills"])
      expect(text).toContain(`"${plural}"`);
    expect(text).not.toContain("policies/status");
    expect(text).not.toContain("bills/status");
  });

  it("leaves out kinds of other clusters, and definitions of other programs", () => {
    const manager = new Manager(bare);
    const other = new Cluster({ connection: { server: "http://127.0.0.1:1" }, logger: silentLogger });
    controllerManagedBy(manager)
      .named("copy")
      .watchesRawSource(kindSource(other.cache, Pod, { handler: enqueueRequestForObject() }))
      .watchesRawSource(kindSource(manager.cache, Policy, { handler: enqueueRequestForObject() }))
      .complete(nothing);
    const { kinds, controllers, name } = manager.describe();
    expect(kinds).toEqual([]);
    expect(controllers).toMatchObject([{ name: "copy", owns: [], watches: [{ kind: "Policy" }] }]);
    expect(controllers[0]).not.toHaveProperty("for");
    expect(name).toBe("controller");
  });

  it("describes webhooks before they are served", () => {
    const manager = new Manager({ ...bare, webhooks: { disabled: true } });
    manager.webhooks.add(admission(V1).default(() => {}));
    expect(manager.describe().webhooks).toMatchObject([{ type: "mutating" }]);
  });

  it("refuses empty permissions and wildcards", () => {
    const manager = new Manager(bare);
    expect(() => manager.needs(Secret, [])).toThrow("needs Secret: verbs: the list is empty");
    expect(() => manager.needs(Secret, ["get"], { names: ["*"] })).toThrow(
      'needs Secret: "*": wildcards are not allowed',
    );
    const wild = unstructured({ apiVersion: "v1", kind: "Any", plural: "any" });
    expect(() => controllerManagedBy(manager).needs(wild, [])).toThrow("needs Any");
  });
});

describe("Manager on a machine without a cluster", () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  /** Runs a program without a kubeconfig. */
  async function run(body: string): Promise<{ stdout: string; stderr: string }> {
    const folder = await mkdtemp(join(tmpdir(), "describe-"));
    folders.push(folder);
    const [library, webhooks] = ["index.ts", "webhooks.ts"].map((name) => new URL(name, import.meta.url).href);
    const file = join(folder, "main.mjs");
    await writeFile(file, `import * as k from "${library}";\nimport { admission } from "${webhooks}";\n${body}`);
    const { KUBECONFIG: _config, KUBERNETES_SERVICE_HOST: _host, ...env } = process.env;
    return promisify(execFile)(process.execPath, ["--conditions=@kubewright/source", file], {
      env: { ...env, HOME: folder },
      timeout: 30_000,
    });
  }

  const program = `
    const before = process.getActiveResourcesInfo();
    const manager = new k.Manager({
      name: "shop", leaderElection: { id: "shop" }, health: { bindAddress: ":8081" },
      metrics: { bindAddress: ":8443", authenticate: true }, webhooks: { port: 9443 },
    });
    const Site = k.unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
    k.controllerManagedBy(manager).for(Site).complete(async () => {});
    manager.webhooks.add(admission(Site).default(() => {}));`;

  it("describes the program without leaving sockets or timers", async () => {
    const { stdout } = await run(`${program}
      const { controllers, webhooks } = manager.describe();
      const after = process.getActiveResourcesInfo();
      console.log(JSON.stringify({ controllers, webhooks, left: after.filter((name) => !before.includes(name)) }));`);
    expect(JSON.parse(stdout)).toMatchObject({
      controllers: [{ for: { plural: "sites" } }],
      webhooks: [{ path: "/mutate-shop-example-com-v1-site" }],
      left: [],
    });
  });

  it("reports at run where it looked for a cluster", async () => {
    const { stdout } = await run(`${program}
      await manager.run(new AbortController().signal).catch(({ name, message }) => console.log(name + ": " + message));`);
    expect(stdout).toContain("KubeConfigError: no cluster is configured: --kubeconfig and KUBECONFIG are not set");
  });

  it("reports at run that the namespace of the lease is missing", async () => {
    const { stdout } = await run(`
      const manager = new k.Manager({ connection: { server: "http://127.0.0.1:1" }, leaderElection: { id: "shop" }, metrics: { bindAddress: "0" } });
      await manager.run(new AbortController().signal).catch(({ message }) => console.log(message));`);
    expect(stdout).toContain("please specify leaderElection.namespace");
  });
});
