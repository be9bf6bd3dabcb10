import type { ProgramDescription } from "@kubewright/rbac";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { sample } from "../testing/sample-definition.ts";
import { kustomizeFiles } from "./kustomize-files.ts";
import type { ManifestOptions } from "./manifests.ts";
import { manifestsOf } from "./manifests.ts";

const shop = { group: "example.com", version: "v1", kind: "Shop", plural: "shops", scope: "Namespaced" } as const;
const small: ProgramDescription = {
  ...{ name: "shop", kinds: [], controllers: [], webhooks: [], permissions: [], caches: [] },
  metrics: { isAuthenticated: false },
};
const service = { name: "webhook-service", namespace: "system", path: "/mutate" };
const clientConfig = { service, caBundle: "secret" };
const converted = {
  ...sample,
  spec: { ...sample.spec, conversion: { strategy: "Webhook", webhook: { clientConfig } } },
};
const exempt = (...values: string[]) => ({
  matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values }],
});
const whole: ProgramDescription = {
  ...small,
  kinds: [{ ...shop, crd: sample }],
  webhooks: [{ type: "mutating", path: "/mutate", resource: shop, operations: ["CREATE"] }],
  webhookConfigurations: [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "mutating-webhook-configuration", labels: { a: "b" } },
      webhooks: [{ name: "m", clientConfig, namespaceSelector: exempt("system", "kube-system") }],
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "validating-webhook-configuration" },
      webhooks: [{ name: "v", clientConfig: { url: "https://elsewhere", caBundle: "kept" } }],
    },
    converted,
  ],
  certificates: {
    secret: { namespace: "shop-system", name: "shop-certificates" },
    ...{ mutatingWebhookConfigurations: [], validatingWebhookConfigurations: [], customResourceDefinitions: [] },
  },
  metrics: { isAuthenticated: true, isSecure: true, port: 8_443 },
  health: { port: 8_081 },
  console: { isSecure: true, port: 8_090 },
};

interface Found {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Readonly<Record<string, never>>;
  readonly webhooks?: readonly object[];
}
const objectsIn = (description: ProgramDescription, path: string, options?: ManifestOptions) =>
  (manifestsOf(description, options).get(path) ?? []) as readonly Found[];

describe("the manifests of a program", () => {
  it("are exactly those that it needs", () => {
    expect([...manifestsOf(small).keys()].filter((path) => !path.startsWith("rbac/"))).toEqual([
      "manager/manager.yaml",
    ]);
    expect([...manifestsOf(whole, { replicas: 2 }).keys()].filter((path) => !path.startsWith("rbac/"))).toEqual([
      ...["crd/bases/example.com_shops.yaml", "manager/manager.yaml", "manager/pod_disruption_budget.yaml"],
      ...["webhook/manifests.yaml", "webhook/service.yaml", "webhook/secret.yaml"],
      ...["default/metrics_service.yaml", "prometheus/monitor.yaml", "prometheus/rules.yaml"],
      ...["network-policy/allow-webhook-traffic.yaml", "network-policy/allow-metrics-traffic.yaml"],
      "network-policy/allow-console-traffic.yaml",
    ]);
    const elsewhere = { ...whole, certificates: { ...whole.certificates, secret: { namespace: "other", name: "a" } } };
    expect(manifestsOf(elsewhere as ProgramDescription).has("webhook/secret.yaml")).toBe(false);
  });

  it("call webhooks at the program's service, without a CA bundle, and not in its own namespace", () => {
    const asked = { ...service, name: "shop-webhook-service", namespace: "shop-system" };
    const [mutating, validating, ...more] = objectsIn(whole, "webhook/manifests.yaml");
    expect(more).toEqual([]);
    expect(mutating).toMatchObject({ metadata: { name: "shop-mutating-webhook-configuration", labels: { a: "b" } } });
    expect(mutating?.webhooks).toEqual([
      { name: "m", clientConfig: { service: asked }, namespaceSelector: exempt("shop-system", "kube-system") },
    ]);
    const labels = { "app.kubernetes.io/name": "shop", "app.kubernetes.io/managed-by": "kustomize" };
    const annotations = { "kubewright.dev/webhooks": "v" };
    expect(validating?.metadata).toEqual({ name: "shop-validating-webhook-configuration", labels, annotations });
    expect(validating?.webhooks).toEqual([{ name: "v", clientConfig: { url: "https://elsewhere", caBundle: "kept" } }]);
    const [definition] = objectsIn(whole, "crd/bases/example.com_shops.yaml");
    expect(definition?.spec.conversion).toEqual({
      strategy: "Webhook",
      webhook: { clientConfig: { service: asked } },
    });
    expect(definition?.spec.versions).toEqual(sample.spec.versions);
  });

  it("replace only the own namespace in selectors", () => {
    const others = [
      { key: "team", operator: "In", values: ["system"] },
      { key: "kubernetes.io/metadata.name", operator: "Exists" },
    ];
    const own = { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["system"] };
    const selected = (namespaceSelector: object) => {
      const configuration = { kind: "ValidatingWebhookConfiguration", metadata: {}, webhooks: [{ namespaceSelector }] };
      return objectsIn({ ...whole, webhookConfigurations: [configuration] }, "webhook/manifests.yaml")[0]?.webhooks;
    };
    expect(selected({ matchExpressions: [...others, own] })).toEqual([
      { namespaceSelector: { matchExpressions: [...others, { ...own, values: ["shop-system"] }] } },
    ]);
    expect(selected({ matchLabels: { a: "system" } })).toEqual([
      { namespaceSelector: { matchLabels: { a: "system" } } },
    ]);
  });

  it("do not change a definition without conversion if another one is converted", () => {
    const other = {
      ...{ ...sample, metadata: { name: "carts.example.com" } },
      spec: { ...sample.spec, names: { ...sample.spec.names, plural: "carts", kind: "Cart" } },
    };
    const cart = { ...shop, plural: "carts", kind: "Cart", crd: other };
    const two = { ...whole, kinds: [cart, ...whole.kinds] };
    expect(objectsIn(two, "crd/bases/example.com_carts.yaml")).toMatchObject([
      { metadata: { name: "carts.example.com" } },
    ]);
    expect(objectsIn(two, "crd/bases/example.com_shops.yaml")).toMatchObject([
      { metadata: { name: "shops.example.com" } },
    ]);
  });

  it("run it as a non-root user without write access and privilege escalation", () => {
    const [namespace, deployment] = objectsIn(whole, "manager/manager.yaml");
    expect(namespace).toMatchObject({ kind: "Namespace", metadata: { name: "shop-system" } });
    const { replicas, template } = (deployment ?? expect.unreachable()).spec as unknown as {
      replicas: number;
      template: {
        spec: { containers: [Record<string, unknown>]; securityContext: object; serviceAccountName: string };
      };
    };
    const { containers, securityContext, serviceAccountName } = template.spec;
    expect([replicas, serviceAccountName]).toEqual([1, "shop-controller-manager"]);
    expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(containers[0]).toMatchObject({
      image: "controller:latest",
      securityContext: {
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ["ALL"] },
      },
      ports: [
        { name: "metrics", containerPort: 8_443, protocol: "TCP" },
        { name: "health", containerPort: 8_081, protocol: "TCP" },
        { name: "webhook-server", containerPort: 9_443, protocol: "TCP" },
        { name: "console-https", containerPort: 8_090, protocol: "TCP" },
      ],
      livenessProbe: { httpGet: { path: "/healthz", port: 8_081 } },
      readinessProbe: { httpGet: { path: "/readyz", port: 8_081 } },
    });
    expect(containers[0]).not.toHaveProperty("args");
  });

  it("follow the deployment options", () => {
    const options = { namespace: "own", image: "shop:v1", args: ["--a"], replicas: 3, resources: {}, webhookPort: 1 };
    const [, deployment] = objectsIn(whole, "manager/manager.yaml", options);
    expect(deployment).toMatchObject({ metadata: { namespace: "own" }, spec: { replicas: 3 } });
    expect(JSON.stringify(deployment)).toContain('"image":"shop:v1","args":["--a"]');
    expect(objectsIn(whole, "webhook/service.yaml", options)[0]?.spec.ports).toEqual([
      { port: 443, protocol: "TCP", targetPort: 1 },
    ]);
    expect(objectsIn(whole, "manager/pod_disruption_budget.yaml", options)[0]?.spec).toMatchObject({ minAvailable: 1 });
    expect(manifestsOf(whole, { replicas: 1 }).has("manager/pod_disruption_budget.yaml")).toBe(false);
  });

  it("scrape metrics with the protocol that the program uses", () => {
    const endpointsOf = (metrics: ProgramDescription["metrics"]) =>
      objectsIn({ ...whole, metrics }, "prometheus/monitor.yaml")[0]?.spec.endpoints;
    const token = { bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" };
    expect(endpointsOf(whole.metrics)).toEqual([
      { path: "/metrics", port: "https", scheme: "https", ...token, tlsConfig: { insecureSkipVerify: true } },
    ]);
    expect(endpointsOf({ isAuthenticated: false, port: 8_080 })).toEqual([
      { path: "/metrics", port: "http", scheme: "http" },
    ]);
  });

  it("open exactly the ports that API servers, browsers and Prometheus need", () => {
    const ingressOf = (description: ProgramDescription) =>
      Object.fromEntries(
        [...manifestsOf(description).keys()]
          .filter((path) => path.startsWith("network-policy/"))
          .map((path) => [path.slice(15), objectsIn(description, path)[0]?.spec.ingress]),
      );
    const open = (port: number) => [{ ports: [{ port, protocol: "TCP" }] }];
    const common = {
      "allow-webhook-traffic.yaml": open(9_443),
      "allow-console-traffic.yaml": open(8_090),
    };
    expect(ingressOf(whole)).toEqual({ ...common, "allow-metrics-traffic.yaml": open(8_443) });
    const unguarded = { ...whole, metrics: { isAuthenticated: false, port: 8_080 } };
    expect(ingressOf(unguarded)).toEqual({ ...common, "allow-metrics-traffic.yaml": open(8_080) });
    const policies = (console: { port: number; isSecure: boolean }) => Object.keys(ingressOf({ ...small, console }));
    expect(policies({ port: 8_090, isSecure: false })).toEqual([]);
    expect(policies({ port: 8_090, isSecure: true })).toEqual(["allow-console-traffic.yaml"]);
    const [policy] = objectsIn(whole, "network-policy/allow-webhook-traffic.yaml");
    const pods = { "app.kubernetes.io/name": "shop", "control-plane": "controller-manager" };
    expect(policy).toMatchObject({
      metadata: { name: "shop-allow-webhook-traffic", namespace: "shop-system" },
      spec: { podSelector: { matchLabels: pods }, policyTypes: ["Ingress"] },
    });
  });
});

describe("folders for kustomize", () => {
  const read = (description: ProgramDescription, samples?: readonly string[]) =>
    new Map(
      kustomizeFiles(description, samples ? { samples } : {}).map(({ path, text }) => [
        path,
        parseAllDocuments(text).map((document) => document.toJS() as Record<string, unknown>),
      ]),
    );

  it("list their files; the default includes all that every cluster supports", () => {
    const files = read(whole, ["b.yaml", "a.yaml"]);
    const resources = (path: string) => files.get(path)?.[0]?.resources;
    expect(resources("crd/kustomization.yaml")).toEqual(["bases/example.com_shops.yaml"]);
    expect(resources("webhook/kustomization.yaml")).toEqual(["manifests.yaml", "secret.yaml", "service.yaml"]);
    expect(resources("prometheus/kustomization.yaml")).toEqual(["monitor.yaml", "rules.yaml"]);
    expect(resources("default/kustomization.yaml")).toEqual([
      ...["../crd", "../rbac", "../manager", "../webhook", "../network-policy", "metrics_service.yaml"],
    ]);
    expect(resources("samples/Kustomization")).toEqual(["a.yaml", "b.yaml"]);
    expect(files.get("samples/Kustomization")?.[0]).toMatchObject({
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
    });
    for (const [path, [object]] of files)
      if (path.endsWith("ustomization") || path.endsWith("kustomization.yaml"))
        for (const name of (object?.resources ?? []) as string[])
          if (!name.startsWith("../") && !path.startsWith("samples/"))
            expect([...files.keys()]).toContain(`${path.slice(0, path.indexOf("/"))}/${name}`);
  });

  it("say in the default how to use what depends on the cluster", () => {
    const textOf = (description: ProgramDescription) =>
      kustomizeFiles(description).find(({ path }) => path === "default/kustomization.yaml")?.text;
    expect(textOf(whole)).toContain("  # ../network-policy opens the ports");
    expect(textOf(whole)).toContain("  #  - ../../prometheus\n");
    expect(textOf(small)).not.toContain("  #");
  });

  it("exist only if they have content", () => {
    const files = read(small);
    expect(files.get("default/kustomization.yaml")?.[0]?.resources).toEqual(["../rbac", "../manager"]);
    for (const folder of ["crd", "webhook", "prometheus", "network-policy", "samples"])
      expect([...files.keys()].filter((path) => path.startsWith(`${folder}/`))).toEqual([]);
  });
});
