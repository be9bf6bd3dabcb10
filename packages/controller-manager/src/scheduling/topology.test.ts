import type { Node, Pod } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { topologyMisfit } from "./topology.ts";

const node = (name: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
});
const [a, b] = [node("a"), node("b")];

const pod = (app: string, spec: Partial<Pod["spec"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: app, namespace: "default", labels: { app } },
  spec: { containers: [{ name: "main" }], ...spec },
});

const host = "kubernetes.io/hostname";
const term = (app: string) => ({ topologyKey: host, labelSelector: { matchLabels: { app } } });
const near = (app: string) => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] },
});
const far = (app: string) => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] },
});

const placed = (onA: Pod[], onB: Pod[] = []) => ({
  nodes: [a, b],
  podsOn: (each: unknown) => (each === a ? onA : onB),
});

it("places a pod near those it requires, and lets the first of a group start anywhere", () => {
  const web = pod("web", { affinity: near("db") });
  expect(topologyMisfit(web, a, placed([pod("db")]))).toBeUndefined();
  expect(topologyMisfit(web, b, placed([pod("db")]))?.reason).toBe("node(s) didn't match pod affinity rules");
  expect(topologyMisfit(pod("web", { affinity: near("web") }), b, placed([]))).toBeUndefined();
});

it("keeps pods apart if either requires it", () => {
  const shy = pod("web", { affinity: far("web") });
  expect(topologyMisfit(shy, a, placed([pod("web")]))?.reason).toBe("node(s) didn't match pod anti-affinity rules");
  expect(topologyMisfit(shy, b, placed([pod("web")]))).toBeUndefined();
  expect(topologyMisfit(pod("web"), a, placed([shy]))?.reason).toBe(
    "node(s) didn't satisfy existing pods anti-affinity rules",
  );
});

it("spreads pods evenly", () => {
  const topologySpreadConstraints = [
    {
      topologyKey: host,
      maxSkew: 1,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "web" } },
    },
  ];
  const web = pod("web", { topologySpreadConstraints });
  expect(topologyMisfit(web, a, placed([pod("web")]))?.reason).toBe(
    "node(s) didn't match pod topology spread constraints",
  );
  expect(topologyMisfit(web, b, placed([pod("web")]))).toBeUndefined();
  expect(topologyMisfit(web, a, placed([pod("web")], [pod("web")]))).toBeUndefined();
});
