import type { Deployment, ReplicaSet } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { deploymentStatus } from "./deployment-status.ts";

type Status = NonNullable<Deployment["status"]>;
type Counts = NonNullable<ReplicaSet["status"]>;

const start = Date.parse("2026-01-01T00:00:00Z");
const then = "2026-01-01T00:00:00Z";
const later = "2026-01-01T00:01:00Z";
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "nginx" }] } };

const deployment = (spec: Partial<Deployment["spec"]> = {}, status?: Partial<Status>, generation = 2): Deployment =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", generation },
    spec: { replicas: 4, selector: { matchLabels: { app: "web" } }, template, ...spec },
    ...(status && { status }),
  }) as Deployment;
const set = (name: string, replicas: number | undefined, status?: Partial<Counts>): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name, namespace: "default" },
  spec: { ...(replicas === undefined ? {} : { replicas }), selector: {}, template },
  ...(status && { status: { replicas: 0, ...status } }),
});
const all = (count: number): Partial<Counts> => ({
  replicas: count,
  readyReplicas: count,
  availableReplicas: count,
});
const condition = ({ conditions }: Status, type: string) => conditions?.find((one) => one.type === type);
const progressing = (reason: string, more: object = {}) => ({
  ...{ type: "Progressing", status: "True", reason, message: "", lastUpdateTime: then, lastTransitionTime: then },
  ...more,
});
const at = (ms = start) => new FakeClock(ms);

describe("counts", () => {
  it("sums the replica sets, and counts the new one as updated", () => {
    const fresh = set("new", 3, { replicas: 3, readyReplicas: 2, availableReplicas: 1 });
    const old = set("old", 4, { replicas: 2, readyReplicas: 2, availableReplicas: 2 });
    expect(deploymentStatus(deployment(), fresh, [fresh, old], at())).toMatchObject({
      observedGeneration: 2,
      replicas: 5,
      updatedReplicas: 3,
      readyReplicas: 4,
      availableReplicas: 3,
      unavailableReplicas: 4,
    });
  });

  it("leaves counts of 0 out", () => {
    const unseen = set("unseen", undefined);
    const status = deploymentStatus(deployment({ replicas: 0 }), unseen, [unseen], at());
    expect(Object.keys(status).sort()).toEqual(["conditions", "observedGeneration"]);
    const full = set("full", 4, all(4));
    expect(deploymentStatus(deployment(), full, [full], at())).not.toHaveProperty("unavailableReplicas");
    const more = set("more", 3, all(4));
    expect(deploymentStatus(deployment(), more, [more], at())).not.toHaveProperty("unavailableReplicas");
  });

  it("counts no updated replicas without a new replica set", () => {
    const old = set("old", 4, all(4));
    expect(deploymentStatus(deployment(), undefined, [old], at())).not.toHaveProperty("updatedReplicas");
  });

  it("counts terminating replicas once every replica set reports them", () => {
    const [one, two] = [set("one", 1, { terminatingReplicas: 2 }), set("two", 1, { terminatingReplicas: 1 })];
    expect(deploymentStatus(deployment(), one, [one, two], at()).terminatingReplicas).toBe(3);
    const none = set("none", 1, { terminatingReplicas: 0 });
    expect(deploymentStatus(deployment(), none, [none], at()).terminatingReplicas).toBe(0);
    expect(deploymentStatus(deployment(), one, [one, set("silent", 1, {})], at())).not.toHaveProperty(
      "terminatingReplicas",
    );
  });

  it("keeps the collision count, if there is one", () => {
    expect(deploymentStatus(deployment({}, { collisionCount: 2 }), undefined, [], at()).collisionCount).toBe(2);
    expect(deploymentStatus(deployment({}, {}), undefined, [], at())).not.toHaveProperty("collisionCount");
  });

  it("observes generation 0 if the object has none", () => {
    const { metadata, ...rest } = deployment();
    const { generation, ...bare } = metadata;
    expect(deploymentStatus({ ...rest, metadata: bare }, undefined, [], at()).observedGeneration).toBe(0);
  });
});

describe("the condition Available", () => {
  const rolling = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
  const available = (count: number, spec: Partial<Deployment["spec"]>) => {
    const fresh = set("new", 4, all(count));
    return condition(deploymentStatus(deployment(spec), fresh, [fresh], at()), "Available");
  };

  it.each([
    ["as many as wanted", 4, rolling, "True"],
    ["as few as may be missing", 3, rolling, "True"],
    ["fewer", 2, rolling, "False"],
    ["all, with the strategy Recreate", 4, { type: "Recreate" }, "True"],
    ["one less, with the strategy Recreate", 3, { type: "Recreate" }, "False"],
  ])("with %s", (_, count, strategy, status) => {
    expect(available(count, { strategy })?.status).toBe(status);
  });

  it("has a reason", () => {
    expect(available(4, { strategy: rolling })).toMatchObject({
      reason: "MinimumReplicasAvailable",
      message: "Deployment has minimum availability.",
      lastUpdateTime: then,
      lastTransitionTime: then,
    });
    expect(available(0, { strategy: rolling })).toMatchObject({
      reason: "MinimumReplicasUnavailable",
      message: "Deployment does not have minimum availability.",
    });
  });

  it("requires one replica by default", () => {
    const { replicas, ...spec } = deployment({ strategy: { type: "Recreate" } }).spec;
    const status = (count: number) => {
      const fresh = set("new", 1, all(count));
      return condition(deploymentStatus({ ...deployment(), spec }, fresh, [fresh], at()), "Available")?.status;
    };
    expect([status(0), status(1)]).toEqual(["False", "True"]);
  });

  it("keeps its times while nothing changes, and renews both when the status changes", () => {
    const fresh = set("new", 4, all(4));
    const first = deploymentStatus(deployment(), fresh, [fresh], at());
    const same = deploymentStatus(deployment({}, first), fresh, [fresh], at(start + 60_000));
    expect(condition(same, "Available")).toEqual(condition(first, "Available"));
    const broken = set("new", 4, all(0));
    const fell = deploymentStatus(deployment({}, same), broken, [broken], at(start + 60_000));
    expect(condition(fell, "Available")).toMatchObject({ lastUpdateTime: later, lastTransitionTime: later });
  });
});

describe("the condition Progressing", () => {
  const of = (
    spec: Partial<Deployment["spec"]>,
    before: Partial<Status> | undefined,
    fresh: ReplicaSet | undefined,
    old: readonly ReplicaSet[] = [],
    ms = start + 60_000,
  ) =>
    condition(deploymentStatus(deployment(spec, before), fresh, fresh ? [fresh, ...old] : old, at(ms)), "Progressing");
  const known = (reason: string, counts: Partial<Status> = {}): Partial<Status> => ({
    observedGeneration: 2,
    ...counts,
    conditions: [progressing(reason)],
  });

  it("begins with the new replica set", () => {
    expect(of({}, undefined, set("new", 1, {}))).toMatchObject({
      status: "True",
      reason: "NewReplicaSetCreated",
      message: 'Created new replica set "new"',
    });
    expect(of({}, undefined, undefined)?.message).toBe('Created new replica set ""');
  });

  const halfway = { replicas: 4, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 3 };
  const halfwaySets = (updated: Partial<Counts>, old: Partial<Counts>) =>
    [set("new", 2, updated), [set("old", 2, old)]] as const;
  it.each([
    ["one more is updated", { replicas: 3, readyReplicas: 1, availableReplicas: 1 }, { replicas: 2, readyReplicas: 2 }],
    ["one old one is gone", { replicas: 2, readyReplicas: 1 }, { replicas: 1, readyReplicas: 2 }],
    ["one more is ready", { replicas: 2, readyReplicas: 2 }, { replicas: 2, readyReplicas: 2 }],
    ["one more is available", { replicas: 2, availableReplicas: 2 }, { replicas: 2, availableReplicas: 2 }],
  ])("is renewed if %s", (_, updated, old) => {
    const [fresh, others] = halfwaySets(updated, old);
    expect(of({}, known("ReplicaSetUpdated", halfway), fresh, others)).toMatchObject({
      status: "True",
      reason: "ReplicaSetUpdated",
      message: 'ReplicaSet "new" is progressing.',
      lastUpdateTime: later,
      lastTransitionTime: then,
    });
  });

  it.each([
    [
      "as it was",
      { replicas: 2, readyReplicas: 1, availableReplicas: 1 },
      { replicas: 2, readyReplicas: 2, availableReplicas: 2 },
    ],
    ["with less ready and available", { replicas: 2 }, { replicas: 2 }],
    ["with one less updated", { replicas: 1 }, { replicas: 3 }],
  ])("keeps its time if everything is %s", (_, updated, old) => {
    const [fresh, others] = halfwaySets(updated, old);
    expect(of({}, known("ReplicaSetUpdated", halfway), fresh, others)).toEqual(progressing("ReplicaSetUpdated"));
  });

  it("counts a first status as progress", () => {
    const fresh = set("new", 4, { replicas: 1 });
    expect(of({}, { conditions: [progressing("ReplicaSetUpdated")] }, fresh)?.lastUpdateTime).toBe(later);
  });

  it("is complete once all replicas are updated and available, and the generation is observed", () => {
    const fresh = set("new", 4, all(4));
    expect(of({}, known("ReplicaSetUpdated", halfway), fresh)).toMatchObject({
      status: "True",
      reason: "NewReplicaSetAvailable",
      message: 'ReplicaSet "new" has successfully progressed.',
    });
    for (const [name, found] of Object.entries({
      "not observed": of({}, { ...known("ReplicaSetUpdated", halfway), observedGeneration: 1 }, fresh),
      "never observed": of({}, { ...halfway, conditions: [progressing("ReplicaSetUpdated")] }, fresh),
      "one not available": of(
        {},
        known("ReplicaSetUpdated", halfway),
        set("new", 4, { ...all(4), availableReplicas: 3 }),
      ),
      "one not updated": of({}, known("ReplicaSetUpdated", halfway), set("new", 4, all(3)), [set("old", 1, all(1))]),
      "an old one left": of({}, known("ReplicaSetUpdated", halfway), set("new", 4, all(4)), [
        set("old", 1, { replicas: 1 }),
      ]),
    }))
      expect(found?.reason, name).toBe("ReplicaSetUpdated");
  });

  it("names the deployment if no replica set has the template", () => {
    expect(of({ replicas: 0 }, known("ReplicaSetUpdated"), undefined)?.message).toBe(
      'Deployment "web" has successfully progressed.',
    );
  });

  it("stays complete if replicas fail later, and restarts with another template", () => {
    const whole = known("NewReplicaSetAvailable", { replicas: 4, updatedReplicas: 4, readyReplicas: 4 });
    expect(of({}, whole, set("new", 4, { replicas: 4 }))).toEqual(progressing("NewReplicaSetAvailable"));
    expect(of({}, whole, set("newer", 1, {}), [set("new", 4, all(4))])).toMatchObject({
      reason: "ReplicaSetUpdated",
      message: 'ReplicaSet "newer" is progressing.',
    });
  });

  describe("without progress", () => {
    const [stuck, counts] = [set("new", 4, { replicas: 4 }), { replicas: 4, updatedReplicas: 4 }];
    const before = known("ReplicaSetUpdated", counts);

    it("times out after the deadline, not at it", () => {
      expect(of({ progressDeadlineSeconds: 60 }, before, stuck)?.reason).toBe("ReplicaSetUpdated");
      expect(of({ progressDeadlineSeconds: 60 }, before, stuck, [], start + 60_001)).toMatchObject({
        status: "False",
        reason: "ProgressDeadlineExceeded",
        message: 'ReplicaSet "new" has timed out progressing.',
        lastTransitionTime: later,
      });
    });

    it("counts from the last transition without an update time", () => {
      const { lastUpdateTime, ...noted } = progressing("ReplicaSetUpdated", { lastTransitionTime: then });
      const found = of({ progressDeadlineSeconds: 10 }, { ...before, conditions: [noted] }, stuck);
      expect(found?.reason).toBe("ProgressDeadlineExceeded");
      const renewed = progressing("ReplicaSetUpdated", { lastUpdateTime: "2026-01-01T00:00:55Z" });
      const waits = of({ progressDeadlineSeconds: 10 }, { ...before, conditions: [renewed] }, stuck);
      expect(waits?.reason).toBe("ReplicaSetUpdated");
    });

    it("does not time out while paused, nor without a deadline", () => {
      for (const spec of [{ progressDeadlineSeconds: 1, paused: true }, {}])
        expect(of(spec, before, stuck, [], start + 3_600_000)?.reason).toBe("ReplicaSetUpdated");
    });
  });
});

describe("the condition ReplicaFailure", () => {
  const failing = (name: string, more: object = { reason: "FailedCreate", message: `quota of ${name}` }) =>
    set(name, 1, { conditions: [{ type: "ReplicaFailure", status: "True", ...more }] });

  it("prefers the new replica set's over another's", () => {
    const [fresh, old] = [failing("new"), failing("old")];
    expect(condition(deploymentStatus(deployment(), fresh, [old, fresh], at()), "ReplicaFailure")).toMatchObject({
      status: "True",
      reason: "FailedCreate",
      message: "quota of new",
    });
    const well = set("new", 1, {});
    expect(condition(deploymentStatus(deployment(), well, [well, old], at()), "ReplicaFailure")?.message).toBe(
      "quota of old",
    );
    expect(
      condition(deploymentStatus(deployment(), undefined, [failing("x", {})], at()), "ReplicaFailure"),
    ).toMatchObject({ reason: "", message: "" });
  });

  it("is removed with the failure, and ignores other conditions of a replica set", () => {
    const failed = deploymentStatus(deployment(), undefined, [failing("a")], at());
    const well = set("a", 1, { conditions: [{ type: "Other", status: "True" }] });
    expect(condition(deploymentStatus(deployment({}, failed), well, [well], at()), "ReplicaFailure")).toBeUndefined();
  });
});
