import type { ProgramDescription } from "@kubewright/rbac";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { sample } from "../testing/sample-definition.ts";
import { type ChartOptions, helmChart } from "./helm-chart.ts";

const shop = { group: "example.com", version: "v1", kind: "Shop", plural: "shops", scope: "Namespaced" } as const;
const descriptionOf = (crd: object): ProgramDescription => ({
  ...{ name: "shop", kinds: [{ ...shop, crd }], controllers: [], webhooks: [], permissions: [], caches: [] },
  metrics: { isAuthenticated: true, isSecure: true, port: 8_443 },
});
const fileOf = (path: string, crd: object = sample, options: ChartOptions = {}): string =>
  helmChart(descriptionOf(crd), options).find((file) => file.path === path)?.text ?? expect.unreachable();

/** Evaluates conditions like Helm: keeps or removes the lines of each block, as `holds` decides. */
function rendered(text: string, holds: (condition: string) => boolean): string {
  const open: boolean[] = [];
  const lines = text.split("\n").filter((line) => {
    const [, condition] = /^ *\{\{-? if (.*) \}\}$/.exec(line) ?? [];
    if (condition !== undefined) open.push(holds(condition));
    else if (/^ *\{\{-? end \}\}$/.test(line)) open.pop();
    else return open.every(Boolean);
    return false;
  });
  expect(open).toEqual([]);
  return lines.join("\n");
}
const path = "templates/crd/bases/example.com_shops.yaml";
const annotated = (annotations?: object) => {
  const { annotations: _, ...metadata } = sample.metadata as { name: string; annotations?: object };
  return { ...sample, metadata: annotations ? { ...metadata, annotations } : metadata };
};

it("keeps definitions on request, whatever annotations they have", () => {
  const keep = { "helm.sh/resource-policy": "keep" };
  for (const own of [undefined, {}, { a: "b" }, sample.metadata.annotations, { ...keep, "a.b/c": "x: y\n{{ z }}" }]) {
    const text = fileOf(path, annotated(own));
    const annotationsWhere = (isKept: boolean) =>
      parse(rendered(text, (condition) => condition !== ".Values.crds.keep" || isKept).replace('{{ "{{" }}', "{{"))
        .metadata.annotations ?? {};
    expect(annotationsWhere(true)).toEqual({ ...own, ...keep });
    expect(annotationsWhere(false)).toEqual(own ?? {}); // a definition with its own annotation does not change
  }
  expect(rendered(fileOf(path), (condition) => condition !== ".Values.crds.enabled")).not.toContain("kind:");
});

it("has files that depend on values", () => {
  const conditionOf = (name: string) => /\{\{- if (.*) \}\}/.exec(fileOf(`templates/${name}`))?.[1];
  expect(conditionOf("manager/manager.yaml")).toBeUndefined();
  expect(conditionOf("manager/pod_disruption_budget.yaml")).toBe("gt (int .Values.replicas) 1");
  expect(conditionOf("default/metrics_service.yaml")).toBe(".Values.metrics.enabled");
  expect(conditionOf("prometheus/monitor.yaml")).toBe(".Values.prometheus.enabled");
  expect(conditionOf("network-policy/allow-metrics-traffic.yaml")).toBe(".Values.networkPolicy.enabled");
  for (const { path: each, text } of helmChart(descriptionOf(sample)))
    if (each.startsWith("templates/rbac/")) expect([each, text.includes("{{- if")]).toEqual([each, false]);
});

it("uses the release's namespace and the image of values, and contains no placeholder", () => {
  const text = fileOf("templates/manager/manager.yaml");
  for (const part of [
    "  namespace: {{ .Release.Namespace }}\n",
    'image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"\n',
    "replicas: {{ .Values.replicas }}\n",
    "resources: {{- toYaml .Values.resources | nindent 12 }}\n",
    "app.kubernetes.io/managed-by: {{ .Release.Service }}\n",
  ])
    expect(text).toContain(part);
  const all = helmChart(descriptionOf(sample)).map((file) => file.text);
  expect(all.join("")).not.toMatch(/kubewright-mark|kind: Namespace|managed-by: kustomize/);
  expect(all.every((each) => parseAllDocuments(each.replace(/\{\{.*?\}\}/g, "x")).length > 0)).toBe(true);
});

it("has default values for image, replicas and resources", () => {
  const values = (options: ChartOptions) => parse(fileOf("values.yaml", sample, options));
  expect(values({})).toMatchObject({
    image: { repository: "controller", tag: "latest" },
    replicas: 1,
    resources: { limits: { cpu: "500m", memory: "256Mi" } },
    crds: { enabled: true, keep: true },
    ...{ metrics: { enabled: true }, prometheus: { enabled: false }, networkPolicy: { enabled: true } },
  });
  expect(
    values({ image: "registry.example.com:5000/shop", replicas: 3, resources: { limits: { cpu: 1 } } }),
  ).toMatchObject({
    ...{
      image: { repository: "registry.example.com:5000/shop", tag: "latest" },
      replicas: 3,
      resources: { limits: { cpu: 1 } },
    },
  });
  expect(values({ image: "registry.example.com:5000/shop:v1" }).image).toEqual({
    ...{ repository: "registry.example.com:5000/shop", tag: "v1" },
  });
  expect(parse(fileOf("Chart.yaml", sample, { version: "1.2.3" }))).toMatchObject({
    ...{ apiVersion: "v2", name: "shop", version: "1.2.3", appVersion: "1.2.3", type: "application" },
  });
});
