import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { type GeneratedFile, helmChart, kustomizeFiles } from "@kubewright/codegen";
import { Environment } from "@kubewright/envtest";
import type { ProgramDescription } from "@kubewright/rbac";
import { Type } from "typebox";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { controllerManagedBy, defineKind, Manager, silentLogger, spoke, versions } from "./index.ts";
import { ConfigMap, Deployment, Pod } from "./kinds.ts";
import { admission, admissionHandler, allowed, conversion } from "./webhooks.ts";

const exec = promisify(execFile);
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const helm = ["helm", join(cache, "kubewright/helm/helm")].find(
  (program) => spawnSync(program, ["version"]).status === 0,
);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "deploy-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A program with one of each feature of manifests. */
function described(): ProgramDescription {
  const type = { group: "shop.example.com", kind: "Site", scope: "Namespaced" } as const;
  const spec = Type.Object({ image: Type.String({ description: "Such as {{ .Values.image }}." }) });
  const V1 = defineKind({ ...type, version: "v1", spec });
  const V1Beta1 = defineKind({ ...type, version: "v1beta1", spec });
  const Site = versions(V1, {
    spokes: [spoke(V1Beta1, { toHub: (old) => ({ spec: old.spec }), fromHub: (hub) => ({ spec: hub.spec }) })],
  });
  const manager = new Manager({
    name: "shop",
    connection: { server: "http://127.0.0.1:1" },
    logger: silentLogger,
    leaderElection: { id: "shop.example.com", namespace: "shop-system" },
    metrics: { bindAddress: ":8443", authenticate: true },
    health: { bindAddress: ":8081" },
  });
  const certificates = {
    secret: { namespace: "shop-system", name: "shop-webhook-server-cert" },
    mutatingWebhookConfigurations: ["shop-mutating-webhook-configuration"],
    validatingWebhookConfigurations: [],
    customResourceDefinitions: [],
  };
  manager.add({ group: "others", run: async () => {}, describe: () => ({ certificates }) });
  controllerManagedBy(manager)
    .for(Site)
    .owns(Deployment)
    .needs(ConfigMap, ["get"], { namespace: "kube-public" })
    .complete(async () => {});
  manager.webhooks.add(
    admission(Site)
      .default(() => {})
      .validate({ delete: () => {} }),
    admissionHandler("/pods", { rules: [{ kind: Pod, operations: ["CREATE"] }] }, () => allowed()),
    conversion(Site),
  );
  return manager.describe();
}

async function write(files: readonly GeneratedFile[], into: string): Promise<void> {
  for (const { path, text } of files) {
    await mkdir(dirname(join(into, path)), { recursive: true });
    await writeFile(join(into, path), text);
  }
}

/** Sorts by kind, namespace and name. */
function objectsIn(text: string): Record<string, unknown> {
  const objects = parseAllDocuments(text).map((one) => one.toJS());
  return Object.fromEntries(
    objects
      .filter((one) => one)
      .map((one) => [`${one.kind} ${one.metadata.namespace ?? ""}/${one.metadata.name}`, one]),
  );
}

it("generates folders that kubectl builds and a server accepts twice", { timeout: 120_000 }, async () => {
  await write(kustomizeFiles(described(), { image: "shop:v1", args: ["--leader-elect"] }), folder);
  await using env = await Environment.start();
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, env.kubeconfig());
  const kubectl = async (...args: string[]): Promise<string> =>
    (await exec("kubectl", ["--kubeconfig", kubeconfig, ...args], { env: { ...process.env, HOME: folder } })).stdout;
  await kubectl("create", "namespace", "kube-public").catch(() => ""); // exists on a real server
  const first = await kubectl("apply", "--server-side", "-k", join(folder, "default"));
  expect(first).toContain("deployment.apps/shop-controller-manager serverside-applied");
  await kubectl("apply", "--server-side", "-k", join(folder, "default"));
  await kubectl("apply", "--dry-run=server", "-k", join(folder, "network-policy"));
  const built = objectsIn(await kubectl("kustomize", join(folder, "default")));
  expect(Object.keys(built)).toEqual(
    expect.arrayContaining([
      "Namespace /shop-system",
      "CustomResourceDefinition /sites.shop.example.com",
      "ServiceAccount shop-system/shop-controller-manager",
      "ClusterRole /shop-manager-role",
      "Role kube-public/shop-manager-role",
      "RoleBinding shop-system/shop-leader-election-rolebinding",
      "Service shop-system/shop-webhook-service",
      "Secret shop-system/shop-webhook-server-cert",
      "MutatingWebhookConfiguration /shop-mutating-webhook-configuration",
      "NetworkPolicy shop-system/shop-allow-webhook-traffic",
    ]),
  );
  const service = { name: "shop-webhook-service", namespace: "shop-system" };
  expect(built["CustomResourceDefinition /sites.shop.example.com"]).toMatchObject({
    spec: { conversion: { webhook: { clientConfig: { service: { ...service, path: "/convert" } } } } },
  });
  expect(JSON.stringify(built["MutatingWebhookConfiguration /shop-mutating-webhook-configuration"])).toContain(
    '"operator":"NotIn","values":["kube-system","shop-system"]',
  );
  expect(Object.keys(built)).not.toContain("PodDisruptionBudget shop-system/shop-controller-manager");
  expect(built["Deployment shop-system/shop-controller-manager"]).toMatchObject({
    spec: { template: { spec: { containers: [{ env: [{ name: "POD_NAMESPACE" }] }] } } },
  });
  expect(built["RoleBinding shop-system/shop-leader-election-rolebinding"]).toMatchObject({
    roleRef: { name: "shop-leader-election-role" },
    subjects: [{ name: "shop-controller-manager", namespace: "shop-system" }],
  });
});

it("keeps one of several replicas running, and lists samples for both ways to apply a folder", () => {
  const files = new Map(
    kustomizeFiles(described(), {
      replicas: 2,
      resources: { limits: { memory: "1Gi" } },
      samples: ["b.yaml", "a.yaml"],
    }).map(({ path, text }) => [path, text]),
  );
  expect(files.get("manager/pod_disruption_budget.yaml")).toContain("minAvailable: 1");
  expect(files.get("manager/kustomization.yaml")).toContain("- pod_disruption_budget.yaml");
  expect(files.get("manager/manager.yaml")).toContain("memory: 1Gi");
  expect(files.get("samples/Kustomization")).toContain("  - a.yaml\n  - b.yaml\n");
});

it("generates a chart with the same objects as the folders", { timeout: 120_000 }, async ({ skip }) => {
  if (!helm) return skip("needs helm: npm run helm -w sdewan-operator builds it, with Go");
  const options = { image: "shop:v1", args: ["--leader-elect"] };
  await write(kustomizeFiles(described(), options), join(folder, "config"));
  await write(helmChart(described(), options), join(folder, "chart"));
  const template = async (...more: string[]): Promise<Record<string, unknown>> => {
    const args = ["template", "shop", join(folder, "chart"), "--namespace", "shop-system", ...more];
    const { stdout } = await exec(helm, args, { env: { ...process.env, HOME: folder } });
    return objectsIn(stdout.replaceAll("managed-by: Helm", "managed-by: kustomize")); // the manager differs
  };
  const { stdout } = await exec("kubectl", ["kustomize", join(folder, "config/default")]);
  const { "Namespace /shop-system": namespace, ...built } = objectsIn(stdout);
  expect(namespace).toBeDefined(); // created by Helm
  expect(await template("--set", "crds.keep=false")).toEqual(built);
  const crd = "CustomResourceDefinition /sites.shop.example.com";
  const monitored = await exec("kubectl", ["kustomize", join(folder, "config/prometheus")]);
  expect(await template("--set", "crds.keep=false,prometheus.enabled=true")).toEqual({
    ...built,
    ...objectsIn(monitored.stdout),
  });
  expect(objectsIn(monitored.stdout)).toHaveProperty([
    "PrometheusRule shop-system/shop-controller-manager-metrics-rules",
  ]);
  expect((await template())[crd]).toMatchObject({
    metadata: { annotations: { "helm.sh/resource-policy": "keep" } },
  });
  expect(await template("--set", "replicas=2")).toHaveProperty([
    "PodDisruptionBudget shop-system/shop-controller-manager",
  ]);
  const changed = await template("--set", "replicas=3,image.tag=v2,crds.enabled=false,networkPolicy.enabled=false");
  expect(changed).not.toHaveProperty([crd]);
  expect(changed).not.toHaveProperty(["NetworkPolicy shop-system/shop-allow-webhook-traffic"]);
  expect(changed["Deployment shop-system/shop-controller-manager"]).toMatchObject({
    spec: { replicas: 3, template: { spec: { containers: [{ image: "shop:v2" }] } } },
  });
  await exec(helm, ["lint", join(folder, "chart")], { env: { ...process.env, HOME: folder } });
});
