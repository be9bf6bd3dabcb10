import type { DefinedKind, KubeObject } from "@kubewright/apimachinery";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { OpenWrtError } from "@kubewright/openwrt";
import { beforeEach, describe, expect, it } from "vitest";
import { CNFService } from "../api/composite/cnf-service.ts";
import { FirewallForwarding } from "../api/firewall/firewall-forwarding.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import {
  confirmAnnotation,
  orderAnnotation,
  probeAnnotation,
  purposeLabel,
  retryAnnotation,
  stageAnnotation,
} from "../api/group.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { putCnf } from "../testing/fixtures.ts";
import { metadata, startReconcilers } from "../testing/reconcilers.ts";
import { type PlannedWrite, type PlanOptions, type PlanReport, planFor } from "./plan.ts";

const psk = "a-key-that-nobody-may-read";
const named = (name: string, more: Partial<KubeObject["metadata"]> = {}) => ({ ...metadata, name, ...more });

let world: ReturnType<typeof startReconcilers>;
beforeEach(() => {
  world = startReconcilers(["10.0.0.1", "10.0.0.2"]);
});

/** Stores an object and applies it to the CNFs. */
async function applied(kind: DefinedKind, name: string, spec: object, more: Partial<KubeObject["metadata"]> = {}) {
  const object = world.cluster.put(kind, { metadata: named(name, more), spec } as never);
  await world.reconcile(object);
}

async function plan(
  objects: readonly [DefinedKind, string, object, Partial<KubeObject["metadata"]>?][],
  purpose?: string,
  more: Partial<PlanOptions> = {},
): Promise<PlanReport> {
  for (const cnf of world.cnfs.values()) cnf.requests.length = 0;
  const stored = JSON.stringify(await listed());
  const report = await planFor({
    live: world.cluster.client,
    objects: objects.map(([kind, name, spec, more]) => ({
      kind,
      object: {
        apiVersion: `${kind.group}/${kind.version}`,
        kind: kind.kind,
        metadata: named(name, more),
        spec,
      } as KubeObject,
    })),
    purpose,
    scope: world.scope,
    endpoint: { scheme: "https" },
    connect: ({ url }) => world.cnf(url.replace("https://", "")),
    resolve: async () => {
      throw Object.assign(new Error("no such name"), { code: "EAI_AGAIN" });
    },
    ...more,
  });
  // A plan reads, and writes nothing.
  for (const cnf of world.cnfs.values())
    expect(cnf.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  expect(JSON.stringify(await listed())).toBe(stored);
  return report;
}

const listed = async () => [
  await world.cluster.client.list(FirewallRule),
  await world.cluster.client.list(FirewallZone),
];

const zone = { network: ["ovn-net1"], input: "ACCEPT" };
const [first] = ["10.0.0.1"];
const changesIn = ({ cnfs }: PlanReport) =>
  cnfs.flatMap(({ pods }) => pods.map(({ changes }) => changes.map(({ action, name }) => `${action} ${name}`)));

describe("a plan", () => {
  it("leaves out writes that the API server refuses, and shows what a deletion does", async () => {
    await applied(FirewallZone, "lan", zone);
    await applied(FirewallRule, "web", { src: "lan", proto: "tcp", dest_port: "80", target: "DROP" });
    const writes: PlannedWrite[] = [];
    const refusalOf = async (write: PlannedWrite): Promise<string | undefined> => {
      writes.push(write);
      return write.after ? "a webhook denied the request" : undefined;
    };
    const key = "default/web";
    const report = await plan(
      [
        [FirewallRule, "new", { src: "lan", target: "DROP" }],
        [FirewallZone, "lan", { ...zone, input: "DROP" }],
      ],
      undefined,
      { refusalOf, deletions: [{ kind: FirewallRule, key }] },
    );
    expect(report.resources).toEqual([{ resource: "FirewallRule default/web", action: "delete" }]);
    expect(report.problems.map(({ type, resource, message }) => [type, resource, message])).toEqual([
      ["refused", "FirewallRule default/new", "a webhook denied the request"],
      ["refused", "FirewallZone default/lan", "a webhook denied the request"],
    ]);
    expect(changesIn(report)).toEqual([["delete web"], ["delete web"]]);
    const stored = world.cluster.peek(FirewallZone, "default/lan");
    expect(writes.map(({ before, after }) => [before !== undefined, after?.metadata.resourceVersion])).toEqual([
      [false, undefined],
      [true, stored?.metadata.resourceVersion],
      [true, undefined],
    ]);
  });

  it("contains new objects, and one reload of their service, on every pod", async () => {
    const report = await plan([
      [FirewallForwarding, "out", { src: "lan", dest: "lan" }],
      [FirewallZone, "lan", zone],
      [FirewallRule, "web", { src: "lan", proto: "tcp", dest_port: "80", target: "DROP" }],
    ]);
    expect(report.resources.map(({ action }) => action)).toEqual(["create", "create", "create"]);
    expect(report.problems).toEqual([]);
    expect(report.cnfs).toMatchObject([{ purpose: "edge7", cnf: "cnfs/edge7" }]);
    expect(report.cnfs[0]?.pods.map(({ pod, restarts }) => [pod, restarts])).toEqual([
      ["cnfs/edge7-0", ["reload of firewall"]],
      ["cnfs/edge7-1", ["reload of firewall"]],
    ]);
    expect(report.cnfs[0]?.pods[0]?.changes).toContainEqual({
      action: "create",
      path: "firewall/v1/rules",
      name: "web",
      resource: "FirewallRule default/web",
    });
    expect(changesIn(report)[0]?.toSorted()).toEqual(["create lan", "create out", "create web"]);
  });

  it("is empty if nothing changes", async () => {
    await applied(FirewallRule, "web", { target: "DROP", proto: "tcp" });
    const report = await plan([[FirewallRule, "web", { proto: "tcp", target: "DROP" }]]);
    expect(report.resources).toEqual([{ resource: "FirewallRule default/web", action: "unchanged" }]);
    expect(report.cnfs[0]?.pods.map(({ changes, restarts, rewrites }) => [changes, restarts, rewrites])).toEqual([
      [[], [], 0],
      [[], [], 0],
    ]);
  });

  it("shows the fields that change, and the writes that keep the order", async () => {
    for (const name of ["a", "b", "c"])
      await applied(FirewallRule, name, { target: "DROP", src_ip: `10.0.0.${name.charCodeAt(0)}` });
    const report = await plan([[FirewallRule, "a", { target: "ACCEPT", src_ip: "10.0.0.97" }]]);
    expect(report.cnfs[0]?.pods[0]).toMatchObject({
      changes: [{ action: "change", name: "a", message: 'target: "DROP" to "ACCEPT"' }],
      rewrites: 2,
      restarts: ["reload of firewall"],
    });
  });

  it("contains the move of an object to another place", async () => {
    for (const name of ["a", "b", "c"])
      await applied(FirewallRule, name, { target: "DROP", src_ip: `10.0.0.${name.charCodeAt(0)}` });
    const report = await plan([
      [FirewallRule, "a", { target: "DROP", src_ip: "10.0.0.97" }, { annotations: { [orderAnnotation]: "9" } }],
    ]);
    expect(report.resources).toEqual([{ resource: "FirewallRule default/a", action: "change" }]);
    expect(changesIn(report)[0]).toEqual(["move a"]);
  });

  it("contains the deletion of an object whose resource is being deleted", async () => {
    await applied(FirewallRule, "web", { target: "DROP" });
    await world.cluster.client.delete(FirewallRule, "default/web");
    expect(changesIn(await plan([], "edge7"))).toEqual([["delete web"], ["delete web"]]);
  });

  it("reports a rule that would be shadowed, unless it is already", async () => {
    await applied(FirewallRule, "narrow", { proto: "tcp", dest_port: "80", target: "DROP" });
    const wide = [
      FirewallRule,
      "wide",
      { proto: "tcp", target: "ACCEPT" },
      { annotations: { [orderAnnotation]: "-1" } },
    ] as const;
    const report = await plan([[...wide]]);
    expect(report.problems).toEqual([
      {
        resource: "FirewallRule default/narrow",
        type: "shadowed",
        message: "FirewallRule default/wide comes before it on the CNF and matches all of its packets",
      },
    ]);
    await applied(FirewallRule, "wide", wide[2], wide[3]);
    await world.reconcile(world.cluster.peek(FirewallRule, "default/narrow") ?? expect.unreachable());
    expect((await plan([], "edge7")).problems).toEqual([]);
  });

  it("reports a resource that waits for a missing zone, and one whose name is taken", async () => {
    const waiting = await plan([[FirewallRule, "web", { src: "lan", target: "DROP" }]]);
    expect(waiting.problems).toMatchObject([{ resource: "FirewallRule default/web", type: "waiting" }]);
    expect(waiting.problems[0]?.message).toContain("the zone lan does not exist");
    expect(changesIn(waiting)).toEqual([[], []]);
    const remote = { remote: "10.9.9.9", authentication_method: "psk", pre_shared_key: psk, crypto_proposal: ["p"] };
    const connections = [{ name: "c", conn_type: "tunnel", mode: "start" }];
    await applied(IpsecHost, "one", { ...remote, connections });
    const conflict = await plan([[IpsecHost, "two", { ...remote, connections }]]);
    expect(conflict.problems).toContainEqual({
      resource: "IpsecHost default/two",
      type: "conflict",
      message: "The name c on the CNF belongs to IpsecHost default/one, which is older",
    });
    expect(JSON.stringify(conflict)).not.toContain(psk);
  });

  it("contains the children of a composite, and why it has none", async () => {
    const service = { fullname: "10-1-1-1.example", port: "8866", dport: "80" };
    const report = await plan([[CNFService, "web", service]]);
    expect(report.problems).toMatchObject([{ resource: "CNFService default/web", type: "waiting" }]);
    const known = await planFor({
      live: world.cluster.client,
      objects: [
        { kind: CNFService, object: { apiVersion: "", kind: "", metadata: named("web"), spec: service } as KubeObject },
      ],
      scope: world.scope,
      endpoint: { scheme: "https" },
      connect: ({ url }) => world.cnf(url.replace("https://", "")),
      resolve: async () => ["10.1.1.1"],
    });
    expect(known.resources).toContainEqual({ resource: "CNFNAT default/webnat of CNFService web", action: "create" });
    expect(changesIn(known)).toEqual([["create webnat"], ["create webnat"]]);
    expect(known.problems).toEqual([]);
  });

  it("reports a pod that does not respond, and a resource without a purpose", async () => {
    world.cnf(first).fail = () => new Error("connect ECONNREFUSED");
    const report = await plan([
      [FirewallRule, "web", { target: "DROP" }, {}],
      [FirewallRule, "lost", { target: "DROP" }, { labels: {} }],
    ]);
    expect(report.cnfs[0]?.pods.map(({ unreachable }) => unreachable)).toEqual(["connect ECONNREFUSED", undefined]);
    expect(report.problems).toContainEqual({
      resource: "FirewallRule default/lost",
      type: "other",
      message: "it has no label sdewanPurpose, so it does not configure a CNF",
    });
  });
});

/** Changes the annotations of a Deployment. */
function annotate(name: string, annotations: Record<string, string>): void {
  const deployment = world.cluster.peek(Deployment, name) ?? expect.unreachable();
  world.cluster.restore({ ...deployment, metadata: { ...deployment.metadata, annotations } });
}

const rule = (name: string, target: string, more: Partial<KubeObject["metadata"]> = {}) =>
  [FirewallRule, name, { src_ip: "192.0.2.1", dest_port: String(name.charCodeAt(0)), target }, more] as const;
const typesIn = ({ problems }: PlanReport) => problems.map(({ type, resource }) => `${type} ${resource}`).toSorted();

describe("a plan of a CNF with a change that was rolled back", () => {
  let isCut = false;
  beforeEach(async () => {
    isCut = false;
    const connectTcp = async () => {
      if (isCut) throw new Error("refused");
    };
    world = startReconcilers(["10.0.0.1"], { confirmChangesMs: 3_000, connectTcp });
    annotate("cnfs/edge7", { [probeAnnotation]: "tcp/10.9.9.9:443" });
    for (const name of ["a", "b", "c"]) await applied(...rule(name, "ACCEPT"));
    await world.clock.advance(35_000);
    isCut = true;
    await change("a", { spec: { target: "DROP" } });
  });

  /** Changes resources, and reconciles them as one batch. */
  async function change(name: string, patch: object, ...others: readonly string[]) {
    const names = [name, ...others];
    for (const each of names) await world.cluster.client.patch(FirewallRule, `default/${each}`, patch);
    const found = names.map((each) => world.cluster.peek(FirewallRule, `default/${each}`) ?? expect.unreachable());
    const reconciles = found.map((object) => world.begin(object));
    await world.clock.advance(10_000);
    await Promise.all(reconciles);
  }

  it("does not contain the change, but says why it is held and what ends this", async () => {
    const report = await plan([], "edge7");
    expect(changesIn(report)).toEqual([[]]);
    expect(report.cnfs[0]?.pods[0]).toMatchObject({ restarts: [], rewrites: 0 });
    expect(report.problems).toEqual([
      {
        resource: "FirewallRule default/a",
        type: "held",
        message: expect.stringMatching(/^Rolled back: .*tcp\/10\.9\.9\.9:443.*change the resource or its annotation/),
      },
    ]);
    const unchanged = await plan([[...rule("a", "DROP")], [...rule("b", "REJECT")]]);
    expect(changesIn(unchanged)).toEqual([["change b"]]);
    expect(typesIn(unchanged)).toEqual(["held FirewallRule default/a"]);
  });

  it.each([
    ["the resource", rule("a", "REJECT")],
    ["its annotation retry", rule("a", "DROP", { annotations: { [retryAnnotation]: "1" } })],
    ["its order", rule("a", "DROP", { annotations: { [orderAnnotation]: "7" } })],
  ])("contains another attempt after a change of %s", async (_what, planned) => {
    const report = await plan([[...planned]]);
    expect(changesIn(report)[0]).toContain("change a");
    expect(report.problems).toEqual([
      {
        resource: "FirewallRule default/a",
        type: "retried",
        message: expect.stringMatching(
          /^No longer held, because the plan changes FirewallRule default\/a\. Previous reason: Rolled back/,
        ),
      },
    ]);
  });

  it("tries all changes again that were rolled back for the same reason", async () => {
    isCut = false;
    await change("a", { metadata: { annotations: { [retryAnnotation]: "1" } } });
    isCut = true;
    await change("b", { spec: { target: "REJECT" } }, "c");
    expect(typesIn(await plan([], "edge7"))).toEqual(["held FirewallRule default/b", "held FirewallRule default/c"]);
    const report = await plan([], undefined, { deletions: [{ kind: FirewallRule, key: "default/b" }] });
    expect(changesIn(report)[0]?.toSorted()).toEqual(["change c", "delete b"]);
    expect(typesIn(report)).toEqual(["retried FirewallRule default/b", "retried FirewallRule default/c"]);

    // The CNF refuses the former object of one of them.
    const c = world.cluster.peek(FirewallRule, "default/c") ?? expect.unreachable();
    const conditions = c.status?.conditions?.map((each) => ({
      ...each,
      message: each.message.replace("The CNF has the last confirmed objects. ", "").concat(". The CNF refuses it"),
    }));
    world.cluster.restore({ ...c, status: { ...c.status, conditions } });
    const again = await plan([], undefined, { deletions: [{ kind: FirewallRule, key: "default/b" }] });
    expect(typesIn(again)).toEqual(["retried FirewallRule default/b", "retried FirewallRule default/c"]);
  });

  it("keeps the object of a resource whose deletion was rolled back, and its place", async () => {
    isCut = false;
    await change("a", { metadata: { annotations: { [retryAnnotation]: "1" } } });
    isCut = true;
    await world.cluster.client.delete(FirewallRule, "default/b");
    await change("c", { metadata: { annotations: { [orderAnnotation]: "-9" } } }, "b");
    expect(changesIn(await plan([], "edge7"))).toEqual([[]]);
    expect(typesIn(await plan([], "edge7"))).toEqual(["held FirewallRule default/b", "held FirewallRule default/c"]);
  });

  it("contains the change if the CNF no longer confirms changes", async () => {
    annotate("cnfs/edge7", { [confirmAnnotation]: "off" });
    const report = await plan([], "edge7");
    expect(changesIn(report)).toEqual([["change a"]]);
    expect(report.problems).toEqual([]);
    expect(report.cnfs[0]?.pods[0]?.confirmation).toBeUndefined();
  });

  it("contains the probes that decide about the changes", async () => {
    const probes = "tunnel/site-a, tcp/10.9.9.9:443";
    annotate("cnfs/edge7", { [probeAnnotation]: probes, [confirmAnnotation]: "45s" });
    const report = await plan([[...rule("b", "REJECT")]]);
    expect(report.cnfs[0]?.pods[0]?.confirmation).toEqual({
      seconds: 45,
      probes: ["tunnel/site-a", "tcp/10.9.9.9:443"],
    });
    annotate("cnfs/edge7", {});
    expect((await plan([], "edge7")).cnfs[0]?.pods[0]?.confirmation).toBeUndefined();
    const byFlag = await plan([], "edge7", { confirmChangesMs: 30_000 });
    expect(byFlag.cnfs[0]?.pods[0]?.confirmation).toEqual({ seconds: 30, probes: [] });
  });

  it("applies nothing to a CNF with a malformed annotation", async () => {
    annotate("cnfs/edge7", { [probeAnnotation]: "tunnel", [confirmAnnotation]: "45s" });
    const report = await plan([[...rule("b", "REJECT")]]);
    expect(changesIn(report)).toEqual([[]]);
    expect(report.problems).toContainEqual({
      resource: "FirewallRule default/b",
      type: "waiting",
      message: expect.stringContaining('"tunnel" is not a probe'),
    });
  });
});

describe("a plan of CNFs with stages", () => {
  beforeEach(async () => {
    world = startReconcilers(undefined, { soakMs: 60_000 });
    for (const [name, stage] of Object.entries({ lab: "0", site: "1", free: undefined })) {
      putCnf(world.cluster, name, [`10.0.1.${name.length}`], {}, "default");
      const labels = { [purposeLabel]: name === "free" ? "free" : "all", "cnf-account-secret": "account" };
      const owned = [
        world.cluster.peek(ReplicaSet, `default/${name}-new`),
        world.cluster.peek(Pod, `default/${name}-0`),
        world.cluster.peek(Deployment, `default/${name}`),
      ];
      for (const each of owned) if (each) world.cluster.restore({ ...each, metadata: { ...each.metadata, labels } });
      annotate(`default/${name}`, stage === undefined ? {} : { [stageAnnotation]: stage });
    }
    for (const [name, purpose] of [
      ["a", "all"],
      ["b", "all"],
      ["f", "free"],
    ] as const)
      await applied(...rule(name, "ACCEPT", { labels: { [purposeLabel]: purpose } }));
    for (let minute = 0; minute < 3; minute++) {
      await world.clock.advance(61_000);
      for (const name of ["a", "b", "f"])
        await world.reconcile(world.cluster.peek(FirewallRule, `default/${name}`) ?? expect.unreachable());
    }
  });
  const waitsIn = ({ cnfs }: PlanReport) =>
    cnfs.flatMap(({ pods }) =>
      pods.map(({ pod, stage, waits, changes }) => [
        pod,
        stage,
        waits?.map(({ forStage }) => forStage),
        changes.map(({ action, name, waitsForStage }) => `${action} ${name} ${waitsForStage ?? "now"}`),
      ]),
    );
  const labels = { [purposeLabel]: "all" };

  it("names the stage of each pod, and the stage that its changes wait for", async () => {
    const report = await plan([
      [...rule("a", "DROP", { labels })],
      [...rule("f", "DROP", { labels: { [purposeLabel]: "free" } })],
    ]);
    expect(waitsIn(report)).toEqual([
      ["default/lab-0", 0, undefined, ["change a now"]],
      ["default/site-0", 1, [0], ["change a 0"]],
      ["default/free-0", undefined, undefined, ["change f now"]],
    ]);
    expect(report.cnfs[0]?.pods[1]?.waits).toEqual([
      { forStage: 0, message: "Waits for stage 0, which must be in sync and effective for 60 s" },
    ]);
  });

  it("contains deletions in the opposite order, and no wait without changes", async () => {
    const report = await plan([], undefined, { deletions: [{ kind: FirewallRule, key: "default/a" }], soakMs: 5_000 });
    expect(waitsIn(report)).toEqual([
      ["default/lab-0", 0, [1], ["delete a 1"]],
      ["default/site-0", 1, undefined, ["delete a now"]],
    ]);
    expect(report.cnfs[0]?.pods[0]?.waits?.[0]?.message).toBe("Waits for stage 1, which must be complete for 5 s");
    expect(waitsIn(await plan([], "all"))).toEqual([
      ["default/lab-0", 0, undefined, []],
      ["default/site-0", 1, undefined, []],
    ]);
  });

  it("lets a pod have its own object back at once", async () => {
    world.cnf("10.0.1.4").collections.get("firewall/v1/rules")?.delete("a");
    expect(waitsIn(await plan([], "all"))[1]).toEqual(["default/site-0", 1, undefined, ["create a now"]]);
  });

  it("contains the failure that stops a rollout, unless the plan changes the failed resource", async () => {
    world.cnf("10.0.1.3").fail = (request) =>
      request.startsWith("GET") ? undefined : new OpenWrtError(400, '{"message":"no"}');
    await world.cluster.client.patch(FirewallRule, "default/b", { spec: { target: "DROP" } });
    await world.reconcile(world.cluster.peek(FirewallRule, "default/b") ?? expect.unreachable());
    world.cnf("10.0.1.3").fail = () => undefined;
    const stopped = await plan([[...rule("a", "DROP", { labels })]]);
    expect(stopped.cnfs[0]?.pods[1]?.waits?.[0]?.message).toMatch(
      /^Stopped before stage 1: FirewallRule default\/b is not in sync/,
    );
    const corrected = await plan([[...rule("a", "DROP", { labels })], [...rule("b", "REJECT", { labels })]]);
    expect(corrected.cnfs[0]?.pods[1]?.waits?.[0]?.message).toMatch(/^Waits for stage 0/);
  });
});
