import { type KubeObject, keyOf } from "@kubewright/apimachinery";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { purposeLabel, releaseAnnotation, stageAnnotation } from "../api/group.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { Reason } from "../reporting/conditions.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { startReconcilers } from "../testing/reconcilers.ts";

const path = "firewall/v1/rules";
const soakMs = 60_000;

type Started = ReturnType<typeof startReconcilers>;

/** Starts an operator for CNFs with stages, and reconciles what it triggers. */
function start(before?: Pick<Started, "cluster" | "cnfs" | "clock">) {
  const started = startReconcilers(undefined, { soakMs, cnfNamespaces: "*", ...(before ? { before } : {}) });
  const { cluster, clock, waitingRules, reconcile, cnf } = started;
  const triggered = new Set<string>();
  const kinds = [FirewallRule, IpsecHost];
  const signal = new AbortController().signal;
  for (const { kind } of kinds) waitingRules.subscribe(kind, (key) => triggered.add(`${kind} ${key}`), signal);
  const deploy = (name: string, stage: string | undefined, address: string, purpose = name): void => {
    putCnf(cluster, name, [address], {}, "default");
    const labels = { [purposeLabel]: purpose, "cnf-account-secret": "account" };
    const annotations: Record<string, string> = stage === undefined ? {} : { [stageAnnotation]: stage };
    const owned = [cluster.peek(ReplicaSet, `default/${name}-new`), cluster.peek(Pod, `default/${name}-0`)];
    for (const each of owned) if (each) cluster.restore({ ...each, metadata: { ...each.metadata, labels } });
    const deployment = cluster.peek(Deployment, `default/${name}`);
    if (deployment) cluster.restore({ ...deployment, metadata: { ...deployment.metadata, labels, annotations } });
  };
  const rule = (name: string, purpose: string, port: string) =>
    cluster.put(FirewallRule, {
      metadata: { name, namespace: "default", labels: { [purposeLabel]: purpose } },
      spec: { dest_port: port, proto: "tcp", target: "DROP" },
    });
  const edit = async (name: string, change: object): Promise<void> => {
    await cluster.client.patch(FirewallRule, `default/${name}`, change);
    await once(name);
  };
  const peek = (name: string) => cluster.peek(FirewallRule, `default/${name}`);
  const reconcileAgain = async (object: KubeObject): Promise<void> => {
    const result = await await reconcile(object);
    if (result?.requeue || result?.requeueAfterMs === 20) triggered.add(`${object.kind} ${keyOf(object)}`);
  };
  const once = async (name: string): Promise<void> => {
    const found = peek(name);
    if (found) await reconcileAgain(found);
    await run();
  };
  const run = async (): Promise<void> => {
    for (let rounds = 0; triggered.size > 0 && rounds < 20; rounds++)
      for (const each of triggered) {
        triggered.delete(each);
        const [kind, key = ""] = each.split(" ");
        const found = kinds.map((one) => (one.kind === kind ? cluster.peek(one, key) : undefined)).find(Boolean);
        if (found) await reconcileAgain(found);
      }
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(Math.min(1_000, left));
      await run();
    }
  };
  const port = (address: string, name = "a") => cnf(address).collections.get(path)?.get(name)?.dest_port;
  return { ...started, deploy, rule, edit, peek, once, pass, port, triggered };
}

/** Two sites with their own resources. */
async function sites() {
  const world = start();
  world.deploy("site0", "0", "10.0.0.1");
  world.deploy("site1", "1", "10.0.0.2");
  world.rule("a", "site0", "1");
  world.rule("b", "site1", "1");
  await world.once("b");
  await world.once("a");
  return world;
}

describe("a change of CNFs with stages", () => {
  it("reaches the next stage after the one before was in sync for the soak time", async () => {
    const { peek, port, pass } = await sites();
    expect([port("10.0.0.1"), port("10.0.0.2", "b")]).toEqual(["1", undefined]);
    expect(peek("b")?.status).toMatchObject({
      state: "Trying to apply",
      message: "Waits for stage 0, which must be in sync and effective for 60 s",
      stageWait: { stage: 1, forStage: 0, generation: 1 },
      conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", reason: "WaitingForStage" })]),
    });
    await pass(50_000);
    expect(port("10.0.0.2", "b")).toBeUndefined();
    await pass(20_000);
    expect(port("10.0.0.2", "b")).toBe("1");
    expect(peek("b")?.status).toMatchObject({ state: "In Sync", appliedGeneration: 1 });
    expect(peek("b")?.status?.stageWait).toBeUndefined();
  });

  it("waits for the soak time even if the earlier stage has been ready for long, because its change may still arrive", async () => {
    const { edit, pass, port } = await sites();
    await pass(300_000);
    await edit("b", { spec: { dest_port: "2" } });
    await pass(30_000);
    await edit("a", { spec: { dest_port: "2" } });
    expect([port("10.0.0.1"), port("10.0.0.2", "b")]).toEqual(["2", "1"]);
    await pass(50_000);
    expect(port("10.0.0.2", "b")).toBe("1");
    await pass(20_000);
    expect(port("10.0.0.2", "b")).toBe("2");
  });

  it("continues where it was after the operator is replaced in the middle of a soak", async () => {
    const first = await sites();
    await first.pass(30_000);
    first.stageGate?.close();
    const second = start(first);
    await second.once("a");
    await second.once("b");
    expect(second.port("10.0.0.2", "b")).toBeUndefined();
    await second.pass(15_000);
    expect(second.port("10.0.0.2", "b")).toBeUndefined();
    await second.pass(15_000);
    expect(second.port("10.0.0.2", "b")).toBe("1");
  });

  it("keeps the former object on a CNF that restarts while it waits", async () => {
    const { cluster, edit, once, pass, port, cnf, peek } = await sites();
    await pass(120_000);
    await edit("b", { spec: { dest_port: "2" } });
    putPod(cluster, "site1", 0, "10.0.0.2", 1, {}, "default");
    cnf("10.0.0.2").collections.clear();
    await once("b");
    expect(port("10.0.0.2", "b")).toBe("1");
    for (const found of [peek("a"), peek("b")]) expect(() => FirewallRule.parse(found)).not.toThrow();
    expect(peek("b")?.status?.stages).toMatchObject([{ stage: 1, generation: 1, spec: { dest_port: "1" } }]);
    await pass(70_000);
    expect(port("10.0.0.2", "b")).toBe("2");
  });

  it("stops at a failure with one Event, and goes on when released", async () => {
    const { cnf, edit, pass, port, events, peek } = await sites();
    await pass(120_000);
    const { OpenWrtError } = await import("@kubewright/openwrt");
    cnf("10.0.0.1").fail = (request) => (request.startsWith("PUT") ? new OpenWrtError(400, "no") : undefined);
    await edit("a", { spec: { dest_port: "2" } });
    await edit("b", { spec: { dest_port: "2" } });
    await pass(120_000);
    expect(port("10.0.0.2", "b")).toBe("1");
    expect(events.filter(({ reason }) => reason === "RolloutStopped")).toEqual([
      expect.objectContaining({
        about: "Deployment site0",
        type: "Warning",
        note: expect.stringMatching(/^The rollout stops before stage 1: FirewallRule default\/a is not in sync: .*no/),
      }),
    ]);
    expect(peek("b")?.status?.message).toMatch(
      /^Stopped before stage 1: FirewallRule default\/a is not in sync: .*; fix this, or continue by setting the annotation sdewan.akraino.org\/release=now$/,
    );
    await edit("b", { metadata: { annotations: { [releaseAnnotation]: "later" } } });
    expect(peek("b")?.status?.message).toContain('"later" is not "now"');
    await edit("b", { metadata: { annotations: { [releaseAnnotation]: "now" } } });
    await pass(5_000);
    expect(port("10.0.0.2", "b")).toBe("2");
    expect(peek("b")?.metadata.annotations?.[releaseAnnotation]).toBeUndefined();
    expect(events.filter(({ reason }) => reason === "RolloutReleased")).toHaveLength(1);
    await edit("b", { spec: { dest_port: "3" } });
    await pass(120_000);
    expect(port("10.0.0.2", "b")).toBe("2"); // a release is for one change
  });

  it("says that the change waits, even if a CNF refuses the former object", async () => {
    const { cluster, cnf, edit, once, pass, peek, port } = await sites();
    await pass(120_000);
    const { OpenWrtError } = await import("@kubewright/openwrt");
    const refuse = (error: string) => (request: string) =>
      /^P(OS|U)T/.test(request) ? new OpenWrtError(400, error) : undefined;
    cnf("10.0.0.1").fail = refuse("no");
    await edit("a", { spec: { dest_port: "2" } });
    await edit("b", { spec: { dest_port: "2" } });
    putPod(cluster, "site1", 0, "10.0.0.2", 1, {}, "default");
    cnf("10.0.0.2").collections.clear();
    cnf("10.0.0.2").fail = refuse("the former one");
    await once("b");
    expect(peek("b")?.status?.message).toMatch(
      /the former one.*\. Stopped before stage 1: FirewallRule default\/a is not in sync: .*; fix this, or continue by setting/,
    );
    cnf("10.0.0.2").fail = () => undefined;
    await edit("b", { metadata: { annotations: { [releaseAnnotation]: "now" } } });
    await pass(5_000);
    expect(port("10.0.0.2", "b")).toBe("2");
    expect(peek("b")?.status).toMatchObject({ state: "In Sync", observedGeneration: 2 });
  });

  it.each([
    [Reason.refused, true],
    [Reason.invalid, true],
    [Reason.unreachable, true],
    [Reason.drifted, true],
    [Reason.rolledBack, true],
    [Reason.waiting, false],
    [Reason.noCnf, false],
  ])("whose earlier stage is %s stops: %s", async (reason, isStopped) => {
    const { cluster, edit, pass, peek, port, events } = await sites();
    await pass(120_000);
    const a = peek("a") ?? expect.unreachable();
    const ready = {
      type: "Ready",
      status: "False" as const,
      reason,
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const status = {
      state: "Trying to apply" as const,
      message: "the reason",
      observedGeneration: a.metadata.generation ?? 1,
    };
    const stages = a.status?.stages?.map(({ soakingSince: _, ...entry }) => entry) ?? [];
    cluster.restore({ ...a, status: { ...status, conditions: [ready], stages } });
    await edit("b", { spec: { dest_port: "2" } });
    await pass(120_000);
    expect(port("10.0.0.2", "b")).toBe("1");
    const stopped = "Stopped before stage 1: FirewallRule default/a is not in sync: the reason";
    const waits = "Waits for stage 0, which must be in sync and effective for 60 s";
    expect(peek("b")?.status?.message).toContain(isStopped ? stopped : waits);
    expect(events.some((event) => event.reason === "RolloutStopped")).toBe(isStopped);
  });

  it("stops if a tunnel goes down while the stage soaks, and stores no key", async () => {
    const { cluster, deploy, rule, once, reconcile, pass, effects, tunnels, clock, port, events } = start();
    deploy("site0", "0", "10.0.0.1");
    deploy("site1", "1", "10.0.0.2");
    const host = cluster.put(IpsecHost, {
      metadata: { name: "h", namespace: "default", labels: { [purposeLabel]: "site0" } },
      spec: {
        remote: "10.0.0.9",
        pre_shared_key: "secret-key",
        crypto_proposal: ["p"],
        authentication_method: "psk",
        connections: [{ name: "c", conn_type: "tunnel", mode: "start", local_sourceip: "%config" }],
      },
    });
    await reconcile(host);
    rule("b", "site1", "1");
    await once("b");
    const note = async (up: number): Promise<void> => {
      const pod = cluster.peek(Pod, "default/site0-0") ?? expect.unreachable();
      const connections = [{ name: "c", mode: "start", localSubnet: "", remoteSubnet: "" }];
      const remotes = [{ uid: host.metadata.uid ?? "", connections }];
      const state = { up, connecting: 0, selectors: new Set<string>(), isComplete: up > 0 };
      tunnels.note(pod.metadata.uid ?? "", remotes, state, 1, clock.now());
      await effects.reported(cluster.client, pod, []);
      await pass(2_000);
    };
    await note(1);
    await pass(30_000);
    await note(0);
    await pass(90_000);
    expect(port("10.0.0.2", "b")).toBeUndefined();
    expect(JSON.stringify(cluster.peek(IpsecHost, "default/h")?.status)).not.toContain("secret-key");
    expect(events.filter(({ reason }) => reason === "RolloutStopped")).toMatchObject([
      {
        about: "Deployment site0",
        note: expect.stringContaining("IpsecHost default/h has no effect: The tunnel c is down"),
      },
    ]);
    await note(1);
    await pass(30_000);
    expect(port("10.0.0.2", "b")).toBeUndefined();
    await pass(40_000);
    expect(port("10.0.0.2", "b")).toBe("1");
  });

  it("is deleted in the opposite order", async () => {
    const { cluster, peek, once, pass, port } = await sites();
    await pass(120_000);
    for (const name of ["a", "b"]) await cluster.client.delete(FirewallRule, `default/${name}`);
    await once("a");
    expect(port("10.0.0.1")).toBe("1");
    expect(peek("a")?.status).toMatchObject({ state: "Being delete", stageWait: { stage: 0, forStage: 1 } });
    await once("b");
    expect([port("10.0.0.2", "b"), peek("b")]).toEqual([undefined, undefined]);
    await pass(50_000);
    expect(port("10.0.0.1")).toBe("1");
    await pass(20_000);
    expect([port("10.0.0.1"), peek("a")]).toEqual([undefined, undefined]);
  });

  it.each(["0", "ten"])("is deleted at once on a former CNF of stage %s", async (stage) => {
    const { cluster, edit, pass, peek, port } = await sites();
    await pass(120_000);
    expect(port("10.0.0.1")).toBe("1");
    const site0 = cluster.peek(Deployment, "default/site0") ?? expect.unreachable();
    cluster.restore({ ...site0, metadata: { ...site0.metadata, annotations: { [stageAnnotation]: stage } } });
    await cluster.client.patch(FirewallRule, "default/a", { metadata: { labels: { [purposeLabel]: "site1" } } });
    await cluster.client.delete(FirewallRule, "default/a");
    await edit("a", {});
    await pass(5_000);
    expect([peek("a"), port("10.0.0.1")]).toEqual([undefined, undefined]);
  });

  it("is deleted at once when released", async () => {
    const { cluster, edit, peek, once, pass, port } = await sites();
    await pass(120_000);
    await cluster.client.delete(FirewallRule, "default/a");
    await once("a");
    expect([port("10.0.0.1"), peek("a")?.status?.stageWait?.forStage]).toEqual(["1", 1]);
    await edit("a", { metadata: { annotations: { [releaseAnnotation]: "now" } } });
    await pass(5_000);
    expect([port("10.0.0.1"), peek("a")]).toEqual([undefined, undefined]);
  });

  it("reaches all CNFs at once without stages, and costs no status", async () => {
    const { deploy, rule, once, port, peek, clock } = start();
    deploy("site0", undefined, "10.0.0.1");
    rule("a", "site0", "1");
    await once("a");
    expect(port("10.0.0.1")).toBe("1");
    expect(peek("a")?.status).not.toHaveProperty("stages");
    expect(clock.waiting).toBe(0);
  });

  it("is not applied if the stage is malformed, with a message that names the value", async () => {
    const { deploy, rule, once, port, peek } = start();
    deploy("site0", "ten", "10.0.0.1");
    rule("a", "site0", "1");
    await once("a");
    expect(port("10.0.0.1")).toBeUndefined();
    expect(peek("a")?.status?.message).toBe(
      'annotation sdewan.akraino.org/stage of Deployment default/site0: "ten" is not a number from 0 to 9; change it, or remove the annotation to apply changes immediately',
    );
    deploy("site0", undefined, "10.0.0.1");
    await once("a");
    expect(port("10.0.0.1")).toBe("1");
  });
});

describe("several Deployments with one purpose", () => {
  async function fleet() {
    const world = start();
    for (const stage of ["0", "1", "2"]) world.deploy(`edge-${stage}`, stage, `10.0.0.${stage}`, "edge");
    world.rule("a", "edge", "1");
    await world.once("a");
    const ports = (): unknown[] => ["0", "1", "2"].map((stage) => world.port(`10.0.0.${stage}`));
    return { ...world, ports };
  }

  it("get a change of one resource stage by stage", async () => {
    const { pass, ports, peek, edit } = await fleet();
    expect(ports()).toEqual(["1", undefined, undefined]);
    expect(peek("a")?.status).toMatchObject({ state: "Trying to apply", stages: [{ stage: 0, generation: 1 }] });
    await pass(70_000);
    expect(ports()).toEqual(["1", "1", undefined]);
    await pass(70_000);
    expect(ports()).toEqual(["1", "1", "1"]);
    expect(peek("a")?.status).toMatchObject({ state: "In Sync", appliedGeneration: 1 });
    expect(peek("a")?.status?.stages?.map(({ spec }) => spec !== undefined)).toEqual([true, false, false]);
    await edit("a", { spec: { dest_port: "2" } });
    expect(ports()).toEqual(["2", "1", "1"]);
    await pass(70_000);
    expect(ports()).toEqual(["2", "2", "1"]);
    await edit("a", { spec: { dest_port: "3" } });
    expect(ports()).toEqual(["3", "2", "1"]);
    expect(peek("a")?.status?.stages).toMatchObject([
      { stage: 0, generation: 3, spec: { dest_port: "3" } },
      { stage: 1, generation: 2, spec: { dest_port: "2" } },
      { stage: 2, generation: 1, spec: { dest_port: "1" } },
    ]);
    await pass(140_000);
    expect(ports()).toEqual(["3", "3", "3"]);
  });

  it("restart no service again while a stage soaks", async () => {
    const { once, cnf } = await fleet();
    cnf("10.0.0.0").requests.length = 0;
    await once("a");
    expect(cnf("10.0.0.0").requests).toEqual([`GET ${path}`]);
  });

  it("lose an object from the last stage first", async () => {
    const { cluster, pass, ports, once, peek } = await fleet();
    await pass(140_000);
    await cluster.client.delete(FirewallRule, "default/a");
    await once("a");
    expect(ports()).toEqual(["1", "1", undefined]);
    await pass(70_000);
    expect(ports()).toEqual(["1", undefined, undefined]);
    await pass(70_000);
    expect([ports(), peek("a")]).toEqual([[undefined, undefined, undefined], undefined]);
  });

  it("need a stage each", async () => {
    const { deploy, rule, once, peek } = start();
    deploy("edge-0", "0", "10.0.0.1", "edge");
    deploy("edge-1", undefined, "10.0.0.2", "edge");
    rule("a", "edge", "1");
    await once("a");
    expect(peek("a")?.status?.message).toBe(
      "More than one deployment exists: default/edge-0, default/edge-1; add the annotation sdewan.akraino.org/stage to default/edge-1",
    );
  });
});
