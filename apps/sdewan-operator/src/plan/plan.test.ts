import type { DefinedKind, KubeObject } from "@kubewright/apimachinery";
import { beforeEach, describe, expect, it } from "vitest";
import { CNFService } from "../api/composite/cnf-service.ts";
import { FirewallForwarding } from "../api/firewall/firewall-forwarding.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { orderAnnotation } from "../api/group.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
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
