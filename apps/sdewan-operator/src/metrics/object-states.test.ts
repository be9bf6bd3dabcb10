import { Deployment } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { ObjectStates } from "./object-states.ts";

const modes = ["start", "add", "route"];

const rule = (name: string, purpose: string, state?: string, connections = 0, namespace = "edge") => ({
  apiVersion: "v1",
  kind: "IpsecHost",
  metadata: { name, namespace, uid: name, resourceVersion: "1", labels: { sdewanPurpose: purpose } },
  spec: { connections: Array.from({ length: connections }, (_, index) => ({ mode: modes[index % modes.length] })) },
  ...(state ? { status: { state } } : {}),
});

function start(scope = "same") {
  const states = new ObjectStates(CnfScope.from(scope));
  const rules = states.handlerOf("IpsecHost");
  const metadata = {
    name: "cnf",
    namespace: "edge",
    uid: "d",
    resourceVersion: "1",
    labels: { sdewanPurpose: "edge7" },
  };
  states.cnfHandler.added?.({ ...Deployment, apiVersion: "apps/v1", kind: "Deployment", metadata } as never, true);
  const add = (object: ReturnType<typeof rule>) => void rules.added?.(object as never, false);
  return { states, rules, add };
}

describe("the states of objects", () => {
  it("are counted, and follow their changes", () => {
    const { states, rules, add } = start();
    add(rule("a", "edge7", "In Sync", 2));
    add(rule("b", "edge7", "In Sync", 1));
    add(rule("c", "edge7"));
    const group = { kind: "IpsecHost", namespace: "edge", purpose: "edge7" };
    expect(states.groups()).toEqual([
      { ...group, state: "In Sync", count: 2, tunnels: 3, started: 2 },
      { ...group, state: "None", count: 1, tunnels: 0, started: 0 },
    ]);
    expect(states.tunnelsOf("edge", "edge7")).toEqual({ tunnels: 3, started: 2 });
    rules.updated?.(rule("a", "edge7") as never, rule("a", "edge7", "Trying to apply", 2) as never);
    rules.deleted?.(rule("b", "edge7") as never, false);
    expect(states.groups().map(({ state, count }) => [state, count])).toEqual([
      ["Trying to apply", 1],
      ["None", 1],
    ]);
  });

  it("of composites are derived from their conditions, and use the same words", () => {
    const { states } = start();
    const handler = states.compositesOf("CNFService");
    const put = (name: string, ready: object | undefined, metadata: object = {}): void =>
      void handler.added?.(
        {
          ...rule(name, "edge7"),
          metadata: { ...rule(name, "edge7").metadata, generation: 2, ...metadata },
          status: ready ? { conditions: [{ type: "Ready", lastTransitionTime: "", message: "", ...ready }] } : {},
        } as never,
        false,
      );
    put("new", undefined);
    put("applied", { status: "True", reason: "Applied", observedGeneration: 2 });
    put("changed", { status: "True", reason: "Applied", observedGeneration: 1 });
    put("waiting", { status: "False", reason: "Waiting", observedGeneration: 2 });
    put("without", { status: "False", reason: "NoCnf", observedGeneration: 2 });
    put("going", { status: "True", reason: "Applied", observedGeneration: 2 }, { deletionTimestamp: "2026-01-01" });
    expect(states.groups().map(({ kind, purpose, state, count }) => [kind, purpose, state, count])).toEqual([
      ["CNFService", "edge7", "None", 1],
      ["CNFService", "edge7", "In Sync", 1],
      ["CNFService", "edge7", "Trying to apply", 2],
      ["CNFService", "edge7", "Idle", 1],
      ["CNFService", "edge7", "Being delete", 1],
    ]);
  });

  it("create no series for unknown purposes and states", () => {
    const { states, add } = start();
    for (let index = 0; index < 10_000; index++) add(rule(`a-${index}`, `nobodys-${index}`, `odd-${index}`));
    for (let index = 0; index < 100; index++) add(rule(`a-${index}`, "edge7", "Idle", 0, `elsewhere-${index}`));
    const group = { kind: "IpsecHost", namespace: "", purpose: "", tunnels: 0, started: 0 };
    expect(states.groups()).toEqual([
      { ...group, state: "None", count: 10_000 },
      { ...group, state: "Idle", count: 100 },
    ]);
  });

  it("are limited in number even if resources may configure CNFs of every namespace", () => {
    const { states, add } = start("*");
    for (let index = 0; index < 6_000; index++) add(rule("a", "edge7", "Idle", 0, `from-${index}`));
    const groups = states.groups();
    expect(groups.length).toBeLessThanOrEqual(5_001);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(6_000);
  });
});
