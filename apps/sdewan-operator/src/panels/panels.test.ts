import { Pod, Secret } from "@kubewright/client/kinds";
import type { Panel, PanelContent, PanelQuestion, PanelRow } from "@kubewright/console";
import { OpenWrtError } from "@kubewright/openwrt";
import { expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { networksAnnotation } from "../api/group.ts";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { secretsOfPod } from "../masking/secrets-of-pod.ts";
import { planFor } from "../plan/plan.ts";
import { pooledReads } from "../plan/planned-cnf.ts";
import { TunnelLog } from "../reporting/tunnel-log.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { metadata, type ReconcilersOptions, startReconcilers } from "../testing/reconcilers.ts";
import { operatorPanels } from "./operator-panels.ts";
import type { OperatorView } from "./operator-view.ts";

const planted = "swordfish/42 planted";
const remote: NonNullable<IpsecHost["spec"]> = {
  remote: "10.0.0.9",
  authentication_method: "psk",
  crypto_proposal: ["p"],
  connections: [
    { name: "c", conn_type: "tunnel", mode: "start", remote_subnet: "10.2.0.0/16" },
    { name: "d", conn_type: "tunnel", mode: "route" },
  ],
};

const question = (search = "", mayGet = true, mayList: PanelQuestion["mayList"] = async () => true): PanelQuestion => ({
  search,
  signal: new AbortController().signal,
  mayGet: async () => mayGet,
  mayList,
});

function start(addresses: readonly string[] = ["10.0.0.1", "10.0.0.2"], options: ReconcilersOptions = {}) {
  const world = startReconcilers(addresses, options);
  const { cluster, clock, pool, records, failures, secrets, scope } = world;
  const tunnels = new TunnelLog();
  let leads = true;
  const operatorView: OperatorView = {
    reader: cluster.client,
    clock,
    scope,
    sessions: () => pool.sessions,
    recordOf: (uid) => records.find(uid),
    tunnels,
    failures,
    secretsOfPod: (pod) => secretsOfPod(cluster.client, ruleKinds, { scheme: "https" }, pod, secrets),
    secretsOf: (kind, rule) => secrets.of(kind, rule),
    plan: (asked) =>
      planFor({
        ...asked,
        ...{ scope, endpoint: { scheme: "https" }, confirmChangesMs: 30_000 },
        connect: (_endpoint, of) => pooledReads(pool, of),
        resolve: async () => [],
      }),
    leadership: () => ({ leads, leader: "other" }),
  };
  const depose = (): void => {
    leads = false;
  };
  const panels = new Map(operatorPanels(operatorView).map((panel) => [panel.id, panel]));
  const panel = (id: string): Panel => panels.get(id) ?? expect.unreachable();
  const content = async (id: string, search = ""): Promise<PanelContent> => {
    const response = await panel(id).rows(question(search));
    return "rows" in response ? response : { rows: response };
  };
  const row = async (id: string, at = 0): Promise<PanelRow> => (await content(id)).rows[at] ?? expect.unreachable();
  const detail = async (id: string, of: string, mayGet = true) => panel(id).detail?.(of, question("", mayGet));
  const pod = (at = 0) => cluster.peek(Pod, `cnfs/edge7-${at}`) ?? expect.unreachable();
  return { ...world, tunnels, panel, content, row, detail, pod, depose };
}

it("show the objects of a CNF, its due restarts, and the time since it stopped responding", async () => {
  const { cluster, clock, reconcile, cnf, row, detail } = start(["10.0.0.1"]);
  expect(await row("cnfs")).toMatchObject({
    reachable: { text: "not checked yet", tone: "neutral" },
    heard: "never",
    holds: "nothing",
  });
  const rule = cluster.put(FirewallRule, { metadata, spec: { target: "DROP" } });
  await reconcile(rule);
  expect(await row("cnfs")).toEqual({
    pod: { text: "cnfs/edge7-0", to: { panel: "cnfs", row: "cnfs/edge7-0" } },
    purpose: "edge7",
    reachable: { text: "reachable", tone: "good", sinceMs: expect.any(Number) },
    heard: { text: "", atMs: expect.any(Number) },
    holds: "firewall 1",
    drift: { text: "none found", tone: "good" },
    restarts: { text: "none", tone: "good" },
    error: "",
  });

  cnf("10.0.0.1").fail = (request) =>
    request.startsWith("reload") ? new OpenWrtError(500, "no such service") : undefined;
  await cluster.client.patch(FirewallRule, "default/a", { metadata: { generation: 2 }, spec: { target: "ACCEPT" } });
  await reconcile(rule);
  expect(await row("cnfs")).toMatchObject({ restarts: { text: "firewall (1 change)", tone: "warning" } });
  expect(JSON.stringify(await detail("ways", "FirewallRule/default/a"))).toContain("no such service");

  const beforeMs = clock.now();
  cnf("10.0.0.1").fail = (request) => (/^(PUT|reload)/.test(request) ? new Error("socket hang up") : undefined);
  await cluster.client.patch(FirewallRule, "default/a", { metadata: { generation: 3 }, spec: { target: "REJECT" } });
  await reconcile(rule);
  const silent = await row("cnfs");
  expect(silent).toMatchObject({
    reachable: { text: "unreachable", tone: "bad" },
    error: { text: "FirewallRule default/a: socket hang up" },
  });
  expect(Object(silent.reachable).sinceMs).toBeGreaterThanOrEqual(beforeMs);
  expect(JSON.stringify(await detail("cnfs", "cnfs/edge7-0"))).toContain("no response");
  expect(await detail("cnfs", "cnfs/nobody-0")).toBeUndefined();
});

it("show resources that have no effect although the CNF has them, with the reason", async () => {
  const { cluster, reconcile, content, detail } = start(["10.0.0.1"]);
  const spec = { proto: "tcp", dest_port: "80", target: "DROP" } as const;
  for (const name of ["one", "two"])
    await reconcile(cluster.put(FirewallRule, { metadata: { ...metadata, name }, spec }));
  const reason = "FirewallRule default/one comes before it on the CNF and matches all of its packets";
  const { rows } = await content("ways");
  expect(rows.map(({ state, effect, message }) => ({ state, effect, message }))).toMatchObject([
    { state: { text: "In Sync" }, effect: { text: "no", tone: "warning" }, message: reason },
    { state: { text: "In Sync" }, effect: { text: "not known", tone: "neutral" }, message: "" },
  ]);
  expect(JSON.stringify(await detail("cnfs", "cnfs/edge7-0"))).toContain(reason);
  expect(JSON.stringify(await detail("ways", "FirewallRule/default/two"))).toContain(reason);
});

it("show changes by others on a CNF until they are reverted", async () => {
  const { cluster, reconcile, cnf, row, pool, pod, detail } = start(["10.0.0.1"]);
  const rule = cluster.put(FirewallRule, { metadata, spec: { target: "DROP" } });
  await reconcile(rule);
  const held = cnf("10.0.0.1").collections.get("firewall/v1/rules") ?? expect.unreachable();
  const before = held.get("a") ?? expect.unreachable();
  held.set("a", { ...before, target: "ACCEPT" });
  const session = await pool.sessionOf(pod());
  expect(await session.missing()).toHaveLength(1);
  expect(await row("cnfs")).toMatchObject({ drift: { text: "1 changed", tone: "warning", atMs: expect.any(Number) } });
  expect(JSON.stringify(await detail("ways", "FirewallRule/default/a"))).toContain("changed by others");
  await reconcile(rule);
  await session.missing();
  expect(await row("cnfs")).toMatchObject({
    drift: { text: "reverted, 1 object", tone: "good", atMs: expect.any(Number) },
  });
  held.delete("a");
  await session.missing();
  expect(await row("cnfs")).toMatchObject({ drift: { text: "1 missing", tone: "warning" } });
});

it("lead from a resource to each pod, and to its sections for viewers who may get it", async () => {
  const { cluster, reconcile, cnf, detail, content } = start();
  const host = cluster.put(IpsecHost, { metadata, spec: { ...remote, pre_shared_key: planted } });
  cnf("10.0.0.2").fail = (request) => (request.startsWith("POST") ? new OpenWrtError(400, "not so") : undefined);
  await reconcile(host);
  const found = await detail("ways", "IpsecHost/default/a");
  expect(found?.parts).toEqual([
    expect.objectContaining({ type: "facts" }),
    expect.objectContaining({
      type: "way",
      steps: [
        { name: "Resource", value: { text: "IpsecHost default/a", to: { controller: "ipsechost", key: "default/a" } } },
        { name: "Purpose", value: "edge7", note: "Deployment cnfs/edge7" },
        { name: "REST collection", value: "sdewan/ipsec/v1/remotes", note: "a" },
        { name: "UCI section", value: "config remote 'a'", note: "in ipsec" },
        { name: "Applied by", value: "restart of ipsec" },
        { name: "Pods with it", value: { text: "1 of 2 pods", tone: "warning" } },
      ],
    }),
    expect.objectContaining({
      title: "Pods",
      rows: [
        expect.objectContaining({ state: { text: "in force", tone: "good" }, error: "" }),
        expect.objectContaining({
          state: { text: "failed", tone: "bad" },
          error: {
            text: expect.stringContaining("Error Code: 400, Error Message: not shown"),
            atMs: expect.any(Number),
          },
        }),
      ],
    }),
    expect.objectContaining({
      rows: expect.arrayContaining([
        { section: "ipsec.a (remote)", option: "pre_shared_key", value: "***" },
        { section: "ipsec.a (remote)", option: "tunnel", value: "c d" },
        { section: "ipsec.c (tunnel)", option: "remote_subnet", value: "10.2.0.0/16" },
      ]),
    }),
  ]);
  const refused = await detail("ways", "IpsecHost/default/a", false);
  expect(refused?.parts.at(-1)).toEqual({
    type: "text",
    text: "Options are hidden, because you may not get this object.",
  });
  expect(JSON.stringify(refused)).not.toContain("10.2.0.0");
  for (const row of ["IpsecHost/default/b", "Nothing/default/a", "IpsecHost", "IpsecHost/../a/b"])
    expect(await detail("ways", row)).toBeUndefined();
  expect((await content("ways", "IPSEC trying")).total).toBe(1);
  expect((await content("ways", "ipsec sync")).total).toBe(0);
});

it("omit kinds that a viewer may not list, and show only the number of CNFs", async () => {
  const { cluster, reconcile, panel, content, detail } = start();
  for (const kind of [IpsecHost, IpsecSite])
    cluster.put(kind, { metadata: { ...metadata, name: "guarded" }, spec: { ...remote, remote: "10.0.0.8" } });
  const rule = cluster.put(FirewallRule, { metadata: { ...metadata, name: "open" }, spec: { target: "DROP" } });
  await reconcile(rule);
  const allowedTo = async (resources: readonly string[], namespace?: string) => {
    const mayList: PanelQuestion["mayList"] = async (kind) =>
      resources.includes(kind.resource) && kind.namespace === namespace;
    const of = question("", false, mayList);
    const rows = async (id: string) => panel(id).rows(of);
    const row = async (id: string, name: string) => panel(id).detail?.(name, of);
    return { rows, row };
  };
  const few = await allowedTo(["firewallrules"]);
  const [cnfs, tunnels, ways] = await Promise.all(["cnfs", "tunnels", "ways"].map((id) => few.rows(id)));
  expect(cnfs).toEqual({ rows: [], note: "2 pods of CNFs. Kinds that you may not list are omitted: CNFStatus." });
  expect(tunnels).toMatchObject({
    ...{ rows: [], picture: { nodes: [], edges: [] } },
    note: "Kinds that you may not list are omitted: IpsecHost, IpsecSite.",
  });
  expect(ways).toMatchObject({ total: 1, rows: [{ resource: { text: "FirewallRule default/open" } }] });
  expect(JSON.stringify([cnfs, tunnels, ways])).not.toMatch(/guarded|edge7-0/);
  const text = "Kinds that you may not list are omitted: IpsecHost.";
  for (const name of ["IpsecHost/default/guarded", "IpsecHost/default/none"])
    expect(await few.row("ways", name)).toEqual({ title: name, parts: [{ type: "text", text }] });
  expect(await few.row("cnfs", "cnfs/edge7-0")).toMatchObject({ parts: [{ type: "text" }] });
  const tenant = await allowedTo(["ipsechosts"], "default");
  expect((await tenant.row("ways", "IpsecHost/default/guarded"))?.parts.length).toBeGreaterThan(1);
  expect(await tenant.rows("ways")).toMatchObject({ total: 0 });
  const notInForce = await (await allowedTo(["cnfstatuses", "ipsecsites"])).row("cnfs", "cnfs/edge7-0");
  expect(JSON.stringify(notInForce)).toContain("IpsecSite default/guarded");
  expect(JSON.stringify(notInForce)).not.toContain("IpsecHost default/guarded");
  expect((await content("ways")).total).toBe(3);
  expect(await detail("ways", "IpsecHost/default/none")).toBeUndefined();
});

it("contain no keys from specs or Secrets, even if a CNF repeats them", async () => {
  const { cluster, reconcile, cnf, content, detail } = start(["10.0.0.1"]);
  const data = { psk: Buffer.from(`${planted} too`).toString("base64") };
  cluster.put(Secret, { metadata: { name: "keys", namespace: "default" }, data });
  const inSecret = { ...remote, connections: [], preSharedKeySecretRef: { name: "keys", key: "psk" } };
  const refers = cluster.put(IpsecHost, { metadata: { ...metadata, name: "refers" }, spec: inSecret });
  const clear = cluster.put(IpsecSite, {
    metadata,
    spec: {
      ...remote,
      pre_shared_key: planted,
      connections: [],
      local_private_cert: Buffer.from(planted).toString("base64"),
    },
  });
  const repeat = new OpenWrtError(400, `{"message":"no: ${planted} too, ${planted}, ${encodeURIComponent(planted)}"}`);
  cnf("10.0.0.1").fail = (request) => (request.startsWith("POST") ? repeat : undefined);
  await reconcile(refers);
  await reconcile(clear);
  const details = ["IpsecHost/default/refers", "IpsecSite/default/a"].map((row) => detail("ways", row));
  const all = [content("cnfs"), content("tunnels"), content("ways"), detail("cnfs", "cnfs/edge7-0"), ...details];
  const text = JSON.stringify(await Promise.all(all));
  expect(text).toContain("IpsecSite default/a: Error Code: 400, Error Message: not shown");
  expect(text).not.toContain("no: ");
  expect(text).toContain('"option":"pre_shared_key","value":"***"');
  for (const spelling of [planted, Buffer.from(planted).toString("base64"), "swordfish", encodeURIComponent(planted)])
    expect(text).not.toContain(spelling);
});

it("show both ends and the time of the last change of each tunnel, in the map as in the table", async () => {
  const { cluster, clock, reconcile, content, tunnels, pod } = start();
  putCnf(cluster, "hub", ["10.0.0.9"]);
  const host = cluster.put(IpsecHost, { metadata, spec: { ...remote, pre_shared_key: planted } });
  await reconcile(host);
  const site = { ...metadata, name: "away", labels: { sdewanPurpose: "nobody" } };
  cluster.put(IpsecSite, { metadata: site, spec: { ...remote, remote: "%any", connections: [] } });
  const { uid = "" } = host.metadata;
  const remotes = [
    { uid, connections: remote.connections.map((each) => ({ ...each, localSubnet: "", remoteSubnet: "" })) },
  ];
  const say = (up: number, at: number) =>
    tunnels.note(
      pod(at).metadata.uid ?? "",
      remotes,
      { up, connecting: 0, selectors: new Set(), isComplete: true },
      1,
      clock.now(),
    );
  say(1, 0);
  say(1, 1);
  const sinceMs = clock.now();
  await clock.advance(5_000);
  say(1, 0);
  say(0, 1);
  const { rows, picture } = await content("tunnels");
  const lines = rows.map(({ from, to, state, pod: on }) => [from, to, Object(state).text, Object(on).text]);
  expect(lines).toEqual([
    ["edge7", "hub", "down", "edge7-1"],
    ["any peer", "nobody", "no CNF has the purpose nobody", undefined],
    ["edge7", "hub", "waiting", "edge7-0"],
    ["edge7", "hub", "waiting", "edge7-1"],
    ["edge7", "hub", "up", "edge7-0"],
  ]);
  expect(rows[0]?.state).toEqual({ text: "down", tone: "bad", sinceMs: clock.now() });
  expect(rows[4]?.state).toEqual({ text: "up", tone: "good", sinceMs });
  expect(picture?.nodes.map(({ title, shape, state }) => [title, shape, state?.text])).toEqual([
    ["edge7", "inside", "2 of 2 reachable"],
    ["hub", "inside", "not checked yet"],
    ["any peer", "outside", undefined],
    ["nobody", "outside", undefined],
  ]);
  expect(picture?.edges.map(({ state }) => state)).toEqual([
    expect.objectContaining({ text: "1 of 4 down", tone: "bad", to: { panel: "ways", row: "IpsecHost/default/a" } }),
    expect.objectContaining({ text: "no CNF has the purpose nobody", tone: "warning" }),
  ]);
});

it("contribute unreachable CNFs, tunnels to them, and resources that are refused or have no CNF, to what needs attention", async () => {
  const { cluster, clock, reconcile, cnf, panel, content, tunnels, pod } = start(["10.0.0.1"]);
  const attention = async (id: string, mayList?: PanelQuestion["mayList"]) =>
    (await panel(id).attention?.(question("", true, mayList)))?.map(({ tone, text }) => `${tone}: ${text}`);
  putCnf(cluster, "hub", ["10.0.0.9"]);
  const connections = [{ name: "c", conn_type: "tunnel" as const, mode: "start" as const }];
  const host = cluster.put(IpsecHost, { metadata, spec: { ...remote, connections, pre_shared_key: planted } });
  await reconcile(host);
  const reported = connections.map((each) => ({ ...each, localSubnet: "", remoteSubnet: "" }));
  const remotes = [{ uid: host.metadata.uid ?? "", connections: reported }];
  const report = { up: 1, connecting: 0, selectors: new Set<string>(), isComplete: true };
  tunnels.note(pod().metadata.uid ?? "", remotes, report, 1, clock.now());
  expect((await content("tunnels")).rows[0]).toMatchObject({ state: { text: "up", tone: "good" } });
  expect(await Promise.all(["cnfs", "tunnels", "ways"].map((id) => attention(id)))).toEqual([[], [], []]);

  const onHub = { ...metadata, name: "on-hub", labels: { sdewanPurpose: "hub" } };
  cnf("10.0.0.9").fail = () => new Error("socket hang up");
  await reconcile(cluster.put(FirewallRule, { metadata: onHub, spec: { target: "DROP" } }));
  expect(await attention("cnfs")).toEqual(["bad: CNF cnfs/hub-0 (hub) is unreachable"]);
  expect(await attention("tunnels")).toEqual([
    "bad: Tunnel edge7 to hub (IpsecHost default/a): reported up, but hub is unreachable",
  ]);
  const nobody = { ...metadata, name: "orphan", labels: { sdewanPurpose: "nobody" } };
  await reconcile(cluster.put(FirewallRule, { metadata: nobody, spec: { target: "DROP" } }));
  cnf("10.0.0.1").fail = (request) => (request.startsWith("POST") ? new OpenWrtError(400, "not so") : undefined);
  await reconcile(cluster.put(FirewallRule, { metadata: { ...metadata, name: "refused" }, spec: { target: "DROP" } }));
  const found = (await attention("ways")) ?? [];
  expect(found).toContainEqual(expect.stringMatching(/^bad: FirewallRule default\/orphan is not in force: .*nobody/));
  expect(found).toContainEqual(expect.stringMatching(/FirewallRule default\/refused is not in force: .*400/));
  expect(found).toContainEqual(expect.stringMatching(/FirewallRule default\/on-hub is not in force: /));
  const nothing = async () => false;
  expect(await Promise.all(["cnfs", "tunnels", "ways"].map((id) => attention(id, nothing)))).toEqual([[], [], []]);
});

it("no longer show an error ten minutes after the CNF has responded again", async () => {
  const { cluster, clock, reconcile, cnf, row } = start(["10.0.0.1"]);
  cnf("10.0.0.1").fail = () => new Error("socket hang up");
  const rule = cluster.put(FirewallRule, { metadata, spec: { target: "DROP" } });
  await reconcile(rule);
  await clock.advance(11 * 60_000);
  expect(await row("cnfs")).toMatchObject({ error: { text: expect.stringContaining("hang up") } });
  cnf("10.0.0.1").fail = () => undefined;
  await reconcile(rule);
  expect(await row("cnfs")).toMatchObject({ reachable: { text: "reachable" }, error: "" });
});

it("name the process that connects to the CNFs if it is another one", async () => {
  const { content, depose } = start();
  expect((await content("cnfs")).note).toBeUndefined();
  depose();
  for (const id of ["cnfs", "tunnels", "ways"])
    expect((await content(id)).note).toMatch(/is not the leader.*Leader: .*other/);
});

it("stay small with 2,000 resources on 20 CNFs, and query no CNF", async () => {
  const { cluster, cnfs, content } = start([]);
  for (let at = 0; at < 20; at++) putCnf(cluster, `cnf${at}`, [`10.1.0.${at}`]);
  for (let at = 0; at < 2_000; at++) {
    const of = { name: `rule-${at}`, namespace: "default", labels: { sdewanPurpose: `cnf${at % 20}` } };
    if (at % 2) cluster.put(FirewallRule, { metadata: of, spec: { target: "DROP" } });
    else cluster.put(IpsecHost, { metadata: of, spec: { ...remote, remote: `10.9.${at >> 8}.${at & 255}` } });
  }
  for (const id of ["cnfs", "tunnels", "ways"]) await content(id); // warm up the compiler first
  const beganMs = performance.now();
  const all = await Promise.all(["cnfs", "tunnels", "ways"].map((id) => content(id)));
  const tookMs = performance.now() - beganMs;
  const bytes = all.map(({ rows }) => JSON.stringify(rows).length);
  console.log(`2,000 resources on 20 CNFs: ${Math.round(tookMs)} ms for all panels, rows of ${bytes.join(", ")} bytes`);
  const [ofCnfs, ofTunnels, ofWays] = all;
  expect([ofCnfs?.rows.length, ofTunnels?.rows.length, ofWays?.rows.length, ofWays?.total]).toEqual([
    20, 2_000, 200, 2_000,
  ]);
  expect(cnfs.size).toBe(0);
});

it("shows the section of a zone on each pod, once for pods with the same networks", async () => {
  const { cluster, detail } = start(["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
  cluster.put(FirewallZone, { metadata, spec: { network: ["ovn-net1"] } });
  const shown = async () => JSON.stringify(await detail("ways", "FirewallZone/default/a"));
  expect(await shown()).not.toContain("On edge7-");
  const text = JSON.stringify({ interface: [{ name: "ovn-net1", interface: "new1" }] });
  putPod(cluster, "edge7", 2, "10.0.0.3", 0, { [networksAnnotation]: text });
  const both = await shown();
  expect(both).toMatch(/On edge7-0, edge7-1:.*net1.*On edge7-2:.*new1/);
  putPod(cluster, "edge7", 2, "10.0.0.3", 0, { [networksAnnotation]: "{" });
  expect(await shown()).toMatch(/On edge7-2:.*No sections: Annotation .* is not JSON/);
});

it("follow a connection through a CNF if resources configure only CNFs in their own namespace", async () => {
  const { cluster, content } = start(["10.0.0.1"], { cnfNamespaces: "same" });
  for (const namespace of ["cnfs", "other"]) {
    cluster.put(FirewallZone, {
      metadata: { ...metadata, namespace, name: "lan" },
      spec: { network: ["ovn-net1"], forward: "DROP" },
    });
    cluster.put(FirewallRule, {
      metadata: { ...metadata, namespace, name: "deny-dns" },
      spec: { src: "lan", proto: "udp", dest_port: "53", target: namespace === "cnfs" ? "REJECT" : "DROP" },
    });
  }
  const flow = "10.1.2.3 10.0.0.1:53/udp net1";
  const decides = async (purpose: string) => (await content("flows", `${purpose} ${flow}`)).rows[0]?.decides;
  expect(await decides("edge7")).toMatchObject({ text: "FirewallRule cnfs/deny-dns" });
  putCnf(cluster, "edge7", ["10.0.0.1"], {}, "other");
  expect((await content("flows", `edge7 ${flow}`)).note).toBe(
    "More than one deployment exists: cnfs/edge7, other/edge7. If they are in different namespaces, enter NAMESPACE/PURPOSE",
  );
  expect(await decides("cnfs/edge7")).toMatchObject({ text: "FirewallRule cnfs/deny-dns" });
  expect(await decides("other/edge7")).toMatchObject({ text: "FirewallRule other/deny-dns" });
  expect((await content("flows", `none/edge7 ${flow}`)).rows).toEqual([]);
});

it("follow a connection through a CNF, with a picture of its way, for viewers who may list the kinds", async () => {
  const { cluster, cnfs, panel, content } = start();
  cluster.put(FirewallZone, {
    metadata: { ...metadata, name: "lan" },
    spec: { network: ["ovn-net1"], forward: "DROP" },
  });
  cluster.put(FirewallRule, {
    metadata: { ...metadata, name: "deny-dns" },
    spec: { src: "lan", proto: "udp", dest_port: "53", target: "REJECT" },
  });
  const asked = "edge7 10.1.2.3 10.0.0.1:53/udp net1";
  expect(await content("flows")).toMatchObject({
    rows: [],
    note: expect.stringContaining("Enter the purpose of a CNF"),
  });
  const found = await content("flows", asked);
  expect(found.rows).toMatchObject([
    {
      pods: { text: "edge7-0", to: { panel: "flows", row: `0 ${asked}` } },
      result: { text: "rejected, for the CNF itself, from 10.1.2.3 to 10.0.0.1:53", tone: "bad" },
      decides: { text: "FirewallRule default/deny-dns", to: { panel: "ways", row: "FirewallRule/default/deny-dns" } },
      conditions: "none",
    },
    { pods: { text: "edge7-1" }, result: { tone: "warning" } },
  ]);
  const { nodes = [], edges = [] } = found.picture ?? {};
  expect(nodes.map(({ title }) => title)).toEqual([
    "10.1.2.3 to 10.0.0.1:53/udp in net1",
    "routing",
    "FirewallZone default/lan",
    "FirewallRule default/deny-dns",
    "rejected",
  ]);
  expect(edges.map(({ from, to }) => [from, to])).toContainEqual(["step 1", "step 2"]);
  const page = await panel("flows").detail?.(`0 ${asked}`, question());
  expect(page?.parts).toContainEqual({
    type: "way",
    title: "Path through the CNF",
    steps: [
      { name: "routing", value: "10.0.0.1 is an address of the CNF" },
      {
        name: "filter",
        value: expect.objectContaining({ text: "FirewallZone default/lan" }),
        note: expect.any(String),
      },
      {
        name: "filter",
        value: expect.objectContaining({ text: "FirewallRule default/deny-dns" }),
        note: expect.any(String),
      },
    ],
  });
  expect((await content("flows", "edge7 10.1.2.3 10.0.0.1:0/udp")).note).toContain('destination: "0" is not a port');
  expect((await content("flows", "nobody 10.1.2.3 10.0.0.1:53/udp")).note).toBe("No CNF has the purpose nobody.");
  expect(await panel("flows").detail?.("9 edge7 10.1.2.3 10.0.0.1:53/udp", question())).toBeUndefined();
  const notAll = (denied: readonly string[]) =>
    question(asked, true, async ({ resource }) => !denied.includes(resource));
  expect(await panel("flows").rows(notAll(["firewallrules"]))).toMatchObject({
    rows: [],
    note: "A trace needs permission to list: FirewallRule.",
  });
  expect(await panel("flows").rows(notAll(["ipsechosts", "ipsecsites"]))).toMatchObject({
    rows: [{}, {}],
    note: expect.stringContaining("you may not list IpsecHost, IpsecSite"),
  });
  expect(cnfs.size).toBe(0); // no CNF was queried
});

/** Submits the form of the panel with plans. */
async function planned(
  panel: (id: string) => Panel,
  text: string | undefined,
  search = "",
  mayList: PanelQuestion["mayList"] = async () => true,
): Promise<PanelContent> {
  const content = await panel("plans").rows({ ...question(search, true, mayList), text });
  return "rows" in content ? content : { rows: content };
}
const linesOf = ({ rows }: PanelContent) =>
  rows.map((row) =>
    ["where", "action", "object", "resource", "message"].map((id) => Object(row[id]).text ?? row[id]).join(" | "),
  );
const manifest = (name: string, target: string, more = "") =>
  `apiVersion: batch.sdewan.akraino.org/v1alpha1\nkind: FirewallRule\n` +
  `metadata: { name: ${name}, namespace: default, labels: { sdewanPurpose: edge7, tier: ${target.toLowerCase()} } }\n` +
  `spec: { target: ${target}${more} }\n`;

it("plan what manifests would do, with links to existing resources, and write nothing", async () => {
  const { cluster, reconcile, cnf, cnfs, panel } = start();
  await reconcile(cluster.put(FirewallRule, { metadata: { ...metadata, name: "web" }, spec: { target: "DROP" } }));
  expect(await planned(panel, undefined)).toMatchObject({ rows: [], note: expect.stringContaining("Enter or choose") });
  for (const each of cnfs.values()) each.requests.length = 0;
  const stored = JSON.stringify(await cluster.client.list(FirewallRule));
  const text = `${manifest("web", "ACCEPT")}---\n${manifest("new", "REJECT", ', proto: tcp, dest_port: "80"')}`;
  const content = await planned(panel, text);
  expect(content.note).toBe(
    "Resources: 1 to create, 1 to change, 0 to delete. Changes on 2 of 2 pods. 1 problem. The API server did not check the resources.",
  );
  const rowsOf = (pod: string) => [
    `${pod} | change | firewall/v1/rules/web | FirewallRule default/web | target: "DROP" to "ACCEPT"`,
    `${pod} | create | firewall/v1/rules/new | FirewallRule default/new | `,
    `${pod} | restart | reload of firewall |  | `,
    `${pod} | confirmation |  |  | Rolled back unless the CNF answers on a new connection within 30 s`,
  ];
  expect(linesOf(content)).toEqual([
    expect.stringMatching(
      /^ \| shadowed \| {2}\| FirewallRule default\/new \| FirewallRule default\/web comes before it/,
    ),
    "cluster | change |  | FirewallRule default/web | ",
    "cluster | create |  | FirewallRule default/new | ",
    ...rowsOf("cnfs/edge7-0"),
    ...rowsOf("cnfs/edge7-1"),
  ]);
  const [, changed, created, first] = content.rows;
  expect([changed?.resource, created?.resource]).toEqual([
    { text: "FirewallRule default/web", to: { panel: "ways", row: "FirewallRule/default/web" } },
    "FirewallRule default/new",
  ]);
  expect(first?.where).toEqual({ text: "cnfs/edge7-0", to: { panel: "cnfs", row: "cnfs/edge7-0" } });
  for (const address of ["10.0.0.1", "10.0.0.2"])
    expect(cnf(address).requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  expect(JSON.stringify(await cluster.client.list(FirewallRule))).toBe(stored);
  const selected = await planned(panel, text, " tier=reject");
  expect(selected.note).toContain("1 to create, 0 to change");
  expect(linesOf(await planned(panel, "", "edge7"))).toEqual([
    "cnfs/edge7-0 | no changes | cnfs/edge7 |  | ",
    "cnfs/edge7-1 | no changes | cnfs/edge7 |  | ",
  ]);
  cnf("10.0.0.2").fail = () => new Error("connect ECONNREFUSED");
  expect(linesOf(await planned(panel, text)).at(-1)).toBe("cnfs/edge7-1 | unreachable |  |  | connect ECONNREFUSED");
});

it("plan only manifests of limited size, count and depth, and report what is wrong with others", async () => {
  const { panel, cnfs, depose } = start();
  const wrong = async (text: string, search = "") => Object((await planned(panel, text, search)).note).text;
  const pad = "#".repeat(262_145);
  expect(await wrong(pad)).toBe("the manifests are 262145 bytes long; plan at most 262144 bytes at once");
  expect(await wrong("---\n".repeat(201))).toBe("the manifests contain 201 documents; plan at most 200 at once");
  const items = Array.from({ length: 201 }, (_, at) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${at}` },
  }));
  expect(await wrong(JSON.stringify({ apiVersion: "v1", kind: "List", items }))).toMatch(
    /^201 objects are too many; plan at/,
  );
  const deep = "the manifests are nested more than 32 levels deep; remove levels";
  for (const nested of ["[".repeat(33), `a: ${"{a: ".repeat(33)}`, "- ".repeat(33), `${" ".repeat(65)}a: 1`])
    expect(await wrong(`${manifest("a", "DROP")}---\n${nested}`)).toBe(deep);
  expect(await wrong("a: [b")).toMatch(/^cannot read the manifests: /);
  expect(await wrong(manifest("a", "EXPLODE"))).toMatch(/^the manifests: .*spec\.target: .*EXPLODE/);
  expect(await wrong(manifest("a", "DROP"), "edge7 tier")).toBe('the label "tier" is not of the form name=value');
  expect((await planned(panel, manifest("a", "DROP"), " __proto__=x")).note).toContain("Enter or choose"); // no resource has this label
  expect((await planned(panel, "apiVersion: v1\nkind: Pod\nmetadata: { name: p }")).note).toMatch(
    /^Not part of the plan: Pod default\/p\. Enter or choose/,
  );
  depose();
  expect((await planned(panel, manifest("a", "DROP"))).note).toMatch(/is not the leader/);
  expect(cnfs.size).toBe(0); // no CNF was queried
});

it("plan only what a viewer may list, and one change at a time", async () => {
  const { cluster, panel, cnf } = start(["10.0.0.1"]);
  cluster.put(IpsecHost, { metadata, spec: { ...remote, pre_shared_key: planted } });
  cluster.put(Secret, { metadata: { name: "keys", namespace: "default" }, data: { psk: "a2V5" } });
  const without =
    (...denied: readonly string[]): PanelQuestion["mayList"] =>
    async ({ resource }) =>
      !denied.includes(resource);
  const text = manifest("a", "DROP");
  expect(await planned(panel, text, "", without("firewallzones", "ipsechosts"))).toEqual({
    rows: [],
    note: "A plan needs permission to list: FirewallZone.",
  });
  const connections = [{ name: "e", conn_type: "tunnel", mode: "start" }];
  const keys = { preSharedKeySecretRef: { name: "keys", key: "none" } };
  const spec = JSON.stringify({ ...remote, connections, ...keys });
  const host = `apiVersion: batch.sdewan.akraino.org/v1alpha1\nkind: IpsecHost\nmetadata: { name: h, namespace: default, labels: { sdewanPurpose: edge7 } }\nspec: ${spec}\n`;
  const whole = await planned(panel, `${text}---\n${host}`);
  expect(linesOf(whole).join()).toMatch(/waiting \| {2}\| IpsecHost default\/h \| .*none/);
  expect(JSON.stringify(whole)).not.toContain("swordfish");
  for (const denied of ["ipsechosts", "secrets"]) {
    const few = await planned(panel, `${text}---\n${host}`, "", without(denied));
    expect(JSON.stringify(few.rows)).not.toContain("Ipsec");
    expect(few.note).toMatch(
      /Not part of the plan: IpsecHost default\/h\..*because you may not list them or what they refer to: IpsecHost/,
    );
    expect(linesOf(few)).toContain("cnfs/edge7-0 | create | firewall/v1/rules/a | FirewallRule default/a | ");
  }
  for (const [denied, kind] of [
    ["services", "CNFService"],
    ["pods", "SdewanApplication"],
  ] as const)
    expect((await planned(panel, text, "", without(denied))).note).toMatch(new RegExp(`refer to: .*${kind}`));
  const [first, second] = await Promise.all([planned(panel, text), planned(panel, text)]);
  expect(first.rows.length).toBeGreaterThan(0);
  expect(second).toEqual({ rows: [], note: "Another plan is in progress; try again in a few seconds." });
  cnf("10.0.0.1").fail = () => new Error(`no ${planted}`);
  expect(JSON.stringify(await planned(panel, text))).not.toContain("swordfish");
});

it.each([
  [400, 1, "401 resources on 1 pod"],
  [250, 8, "251 resources on 8 pods"],
])("refuse plans of %i resources on %i pods", async (resources, pods, text) => {
  const { cluster, panel, cnfs } = start(Array.from({ length: pods }, (_, at) => `10.0.0.${at}`));
  for (let at = 0; at < resources; at++)
    cluster.put(FirewallRule, { metadata: { ...metadata, name: `rule-${at}` }, spec: { target: "DROP" } });
  expect(await planned(panel, manifest("a", "DROP"))).toMatchObject({
    note: { text: expect.stringContaining(`the plan concerns ${text}; use sdewan-operator plan`) },
  });
  expect(cnfs.size).toBe(0);
});
