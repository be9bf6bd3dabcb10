import { describe, expect, it } from "vitest";
import { attributesOf, objectOf, resourceOf } from "../testing/attributes.ts";
import { podSecurity } from "./pod-security.ts";

const enforcing = (level: string, version?: string) => ({
  "pod-security.kubernetes.io/enforce": level,
  ...(version ? { "pod-security.kubernetes.io/enforce-version": version } : {}),
});
const bad = { hostPID: true, containers: [{ name: "a", image: "x" }] };
const pod = (spec: object = bad, metadata: object = {}) => objectOf({ spec }, metadata);
const details = "host namespaces (hostPID=true)";

type Asked = Parameters<typeof attributesOf>[0] & { labels?: Record<string, string>; pods?: readonly object[] };

async function ask({ labels = enforcing("baseline"), pods = [], ...more }: Asked) {
  const warnings: string[] = [];
  const plugin = podSecurity({
    namespace: async () => objectOf({}, { name: "default", labels }),
    pods: async () => pods as never,
  });
  const refusal = await Promise.resolve(
    plugin.validate?.(attributesOf({ ...more, warn: (text) => warnings.push(text) })),
  ).catch((error: Error) => error.message);
  return { refusal, warnings };
}
const passes = { refusal: undefined, warnings: [] };
const refused = {
  refusal: `pods "web" is forbidden: violates PodSecurity "baseline:latest": ${details}`,
  warnings: [],
};

/** @see pod-security-admission admission admission_test.go TestValidatePodController, TestValidatePodAndController */
describe("a pod", () => {
  const images = (...names: string[]) => ({ ...bad, containers: names.map((image, i) => ({ name: `c${i}`, image })) });
  it.each<[string, Asked, object]>([
    ["that complies with the level is admitted", { object: pod({ containers: [] }) }, passes],
    ["that does not is refused", { object: pod() }, refused],
    ["is admitted without a level", { object: pod(), labels: {} }, passes],
    ["without a spec is admitted", { object: objectOf() }, passes],
    [
      "is warned of",
      { object: pod(), labels: { "pod-security.kubernetes.io/warn": "baseline" } },
      { refusal: undefined, warnings: [`would violate PodSecurity "baseline:latest": ${details}`] },
    ],
    [
      "is refused in the version that is asked for",
      { object: pod(), labels: enforcing("baseline", "v1.20") },
      { ...refused, refusal: refused.refusal.replace("latest", "v1.20") },
    ],
    [
      "that gets another image is looked at",
      { operation: "UPDATE", object: pod(images("y")), oldObject: pod(images("x")) },
      refused,
    ],
    [
      "that gets a container is looked at",
      { operation: "UPDATE", object: pod(images("x", "y")), oldObject: pod(images("x")) },
      refused,
    ],
    [
      "that changes otherwise is not",
      { operation: "UPDATE", object: pod(images("x")), oldObject: pod({ containers: images("x").containers }) },
      passes,
    ],
    [
      "that gets an ephemeral container is looked at",
      {
        operation: "UPDATE",
        subresource: "ephemeralcontainers",
        object: pod({ ...bad, ephemeralContainers: [{ name: "e" }] }),
        oldObject: pod(),
      },
      refused,
    ],
    ...["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"].map(
      (subresource): [string, Asked, object] => [
        `is not looked at for its ${subresource}`,
        { object: pod(), subresource },
        passes,
      ],
    ),
    ["of another group is ignored", { object: pod(), resource: resourceOf("pods", "x.io") }, passes],
  ])("%s", async (_what, asked, outcome) => {
    expect(await ask(asked)).toEqual(outcome);
  });
});

describe("a pod template causes warnings only", () => {
  const warned = { refusal: undefined, warnings: [`would violate PodSecurity "baseline:latest": ${details}`] };
  const template = { metadata: { annotations: {} }, spec: bad };
  it.each<[string, string, object]>([
    ["podtemplates", "", { template }],
    ["replicationcontrollers", "", { spec: { template } }],
    ["replicasets", "apps", { spec: { template } }],
    ["deployments", "apps", { spec: { template } }],
    ["statefulsets", "apps", { spec: { template } }],
    ["daemonsets", "apps", { spec: { template } }],
    ["jobs", "batch", { spec: { template } }],
    ["cronjobs", "batch", { spec: { jobTemplate: { spec: { template } } } }],
  ])("of %s.%s", async (resource, group, members) => {
    const asked = { resource: resourceOf(resource, group), object: objectOf(members) };
    expect(await ask(asked)).toEqual(warned);
    expect(await ask({ ...asked, subresource: "status" })).toEqual(passes);
    expect(await ask({ ...asked, object: objectOf() })).toEqual(passes);
    expect(await ask({ ...asked, labels: {} })).toEqual(passes);
  });

  it("also by its annotations", async () => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/a": "unconfined" };
    const object = objectOf({ spec: { template: { metadata: { annotations }, spec: {} } } });
    expect((await ask({ resource: resourceOf("deployments", "apps"), object })).warnings).toHaveLength(1);
  });
});

describe("a namespace", () => {
  const namespace = (labels: object) => objectOf({}, { name: "default", labels });
  const of = (labels: object, old?: object) => ({
    resource: resourceOf("namespaces"),
    kind: { group: "", version: "v1", kind: "Namespace" },
    name: "default",
    object: namespace(labels),
    ...(old ? { operation: "UPDATE" as const, oldObject: namespace(old) } : {}),
  });
  const running = [
    pod(bad, { name: "b" }),
    pod(bad, { name: "a" }),
    pod({ containers: [] }, { name: "c" }),
    pod({ hostIPC: true, hostNetwork: true }, { name: "d" }),
  ];
  const announced = (level: string) => [
    `existing pods in namespace "default" violate the new PodSecurity enforce level "${level}"`,
    "a (and 1 other pod): host namespaces",
  ];
  const some = running.slice(0, 3);

  it.each<[string, Asked, readonly string[]]>([
    ["that is made is not compared", { ...of(enforcing("restricted")), pods: some }, []],
    ["that asks for more is", { ...of(enforcing("baseline"), {}), pods: some }, announced("baseline:latest")],
    ["that asks for as much is not", { ...of(enforcing("baseline"), enforcing("baseline")), pods: some }, []],
    ["that asks for less is not", { ...of(enforcing("baseline"), enforcing("restricted")), pods: some }, []],
    ["that asks for nothing is not", { ...of({}, enforcing("baseline")), pods: some }, []],
    [
      "that asks for another version is",
      { ...of(enforcing("baseline", "v1.30"), enforcing("restricted")), pods: some },
      announced("baseline:v1.30"),
    ],
    ["of good pods is silent", { ...of(enforcing("baseline"), {}), pods: running.slice(2, 3) }, []],
    [
      "lists one of several, and the number of others",
      { ...of(enforcing("baseline"), {}), pods: running },
      [announced("baseline:latest")[0] ?? "", "a (and 2 other pods): host namespaces"],
    ],
    [
      "lists the only one",
      { ...of(enforcing("baseline"), {}), pods: some.slice(0, 1) },
      [announced("baseline:latest")[0] ?? "", "b: host namespaces"],
    ],
    ["is not compared for its parts", { ...of(enforcing("baseline"), {}), pods: some, subresource: "finalize" }, []],
  ])("%s", async (_what, asked, warnings) => {
    expect(await ask(asked)).toEqual({ refusal: undefined, warnings });
  });

  it("with many pods is checked with one per controller first", async () => {
    const owned = {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r", controller: true }],
    };
    const many = Array.from({ length: 3_000 }, (_, i) =>
      pod(bad, { name: `r-${String(i).padStart(4, "0")}`, ...owned }),
    );
    const { warnings } = await ask({ ...of(enforcing("baseline"), {}), pods: [...many, pod(bad, { name: "alone" })] });
    expect(warnings).toEqual([
      "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
      announced("baseline:latest")[0],
      "alone (and 2999 other pods): host namespaces",
    ]);
  });

  it("must have valid labels, unless they were invalid before", async () => {
    const wrong = enforcing("strong");
    expect((await ask(of(wrong))).refusal).toContain('Invalid value: "strong"');
    expect((await ask(of(wrong, {}))).refusal).toContain('Invalid value: "strong"');
    expect((await ask(of(wrong, enforcing("other")))).refusal).toContain('Invalid value: "strong"');
    expect((await ask(of({ ...wrong, a: "b" }, wrong))).refusal).toBeUndefined();
  });
});
