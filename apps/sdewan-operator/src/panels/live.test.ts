import { fileURLToPath } from "node:url";
import { Secret } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { addConsole, type Console, type Panel, type PanelPart } from "@kubewright/console";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Demo } from "../../demo/demo.ts";
import { install } from "../../demo/install.ts";
import { readManifests } from "../../demo/manifests.ts";
import { unsettled } from "../../demo/settled.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { IpsecProposal } from "../api/ipsec/ipsec-proposal.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { State } from "../api/status.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { operatorPanels } from "./operator-panels.ts";
import { foundRules } from "./rule-list.ts";

const folder = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const base = "/debug/kubewright/v1/";
const [inClear, inSecret] = ["swordfish/clear planted", "swordfish/secret planted"];

describe("the operator's panels on simulated CNFs", { timeout: 60_000 }, () => {
  let demo: Demo;
  let view: Console;
  let headers: Record<string, string>;
  let requests = 0;
  beforeAll(async () => {
    const counted = (panel: Panel): Panel => ({
      ...panel,
      rows: (question) => {
        requests++;
        return panel.rows(question);
      },
    });
    demo = await Demo.start({
      cnfs: await readManifests(folder("cnfs")),
      operator: {
        checkIntervalMs: 500,
        prepare: (manager, operatorView) => {
          view = addConsole(manager, { bindAddress: "127.0.0.1:0" });
          for (const panel of operatorPanels(operatorView)) view.panel(counted(panel));
        },
      },
    });
    expect(await install(demo.client, await readManifests(folder("samples")))).toEqual([]);
    while ((await unsettled(demo.reader, await demo.snapshot())).length > 0) await systemClock.sleep(100);
    const token = view.newUrl().split("#t=")[1] ?? "";
    const session = await fetch(`http://127.0.0.1:${view.port}${base}session`, { method: "POST", body: token });
    headers = { "kubewright-session": Object(await session.json()).session };
  }, 120_000);
  afterAll(() => demo?.stop());

  const get = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${view.port}${base}${path}`, { headers });
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };
  const detail = async (id: string, row: string): Promise<{ readonly parts: readonly PanelPart[] }> =>
    JSON.parse(await get(`panels/${id}?row=${encodeURIComponent(row)}`));

  /** Returns some of the updates that are sent every second. */
  async function stream(): Promise<string> {
    const stopped = new AbortController();
    const url = `http://127.0.0.1:${view.port}${base}stream`;
    const { body } = await fetch(url, { headers, signal: stopped.signal });
    const reader = body?.getReader();
    let text = "";
    while ((text.match(/event: tick/g) ?? []).length < 3)
      text += new TextDecoder().decode((await reader?.read())?.value);
    stopped.abort();
    return text;
  }

  it("are created only on request", async () => {
    const before = requests;
    await stream();
    await get("overview");
    expect(requests).toBe(before);
    await get("panels/cnfs");
    expect(requests).toBe(before + 1);
  });

  it("name the sections and options as they are on the CNF", async () => {
    const { rules } = await foundRules(demo.reader, {
      matches: ({ status }) => status?.state === State.inSync,
      limit: 1_000,
    });
    expect(new Set(rules.map(({ kind }) => kind.path))).toEqual(
      new Set((ruleKinds as readonly CnfKind[]).map(({ path }) => path)),
    );
    for (const { id } of rules) {
      const { parts } = await detail("ways", id);
      const pods = parts.find((part) => part.type === "table" && part.title === "Pods");
      const sections = parts.find((part) => part.type === "table" && part.title.startsWith("UCI"));
      if (pods?.type !== "table" || sections?.type !== "table") return expect.unreachable();
      expect(pods.rows.map(({ state }) => Object(state).text)).toContain("in force");
      const pod = Object(pods.rows[0]?.pod).to.row;
      const simulator = demo.simulators.running.get(pod) ?? expect.unreachable();
      const groups = Map.groupBy(sections.rows, ({ section }) => String(section));
      for (const [section, options] of groups) {
        const [, config = "", anonymous, name = "", type = anonymous] =
          /^([\w-]+)\.(?:@(\S+)|(\S+) \((\S+)\))$/.exec(section) ?? [];
        const desired = Object.fromEntries(options.map(({ option, value }) => [String(option), String(value)]));
        const found = simulator.uci
          .sections(config, type ?? "")
          .find((each) => (anonymous ? each.options.get("name") === desired.name : each.id === name));
        const held = Object.fromEntries(
          Object.keys(desired).map((option) => [option, [found?.options.get(option) ?? ""].flat().join(" ")]),
        );
        const hidden = Object.entries(desired).filter(([, value]) => value === "***");
        expect({ id, section, ...held, ...Object.fromEntries(hidden) }).toEqual({ id, section, ...desired });
      }
    }
  });

  it("plan the manifests of a form, with requests that only read", async () => {
    const [, simulator] = [...demo.simulators.running].find(([key]) => key.startsWith("edge-b/")) ?? [];
    const before = simulator?.requests.total ?? 0;
    const manifest = {
      apiVersion: `${FirewallRule.group}/${FirewallRule.version}`,
      kind: FirewallRule.kind,
      metadata: { name: "planned", namespace: "edge-b", labels: { sdewanPurpose: "sdewan-edge-b" } },
      spec: { target: "DROP", src_ip: "192.0.2.1" },
    };
    const url = `http://127.0.0.1:${view.port}${base}panels/plans`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(manifest) });
    const { rows, error } = Object(await response.json());
    expect(error).toBeUndefined();
    const action = { text: "create", tone: "neutral" };
    expect(rows).toContainEqual(expect.objectContaining({ action, object: "firewall/v1/rules/planned" }));
    expect(rows).toContainEqual(expect.objectContaining({ object: "reload of firewall" }));
    expect(rows).not.toContainEqual(expect.objectContaining({ object: expect.stringMatching(/restart of/) }));
    const { entries = [], total = 0 } = simulator?.requests ?? {};
    const requests = total > before ? entries.slice(before - total) : [];
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ method, path }) => method !== "GET" && !path.endsWith("luci/"))).toEqual([]);
    expect((await demo.client.list(FirewallRule)).map(({ metadata }) => metadata.name)).not.toContain("planned");
  });

  it("contain no keys, and neither do the updates", async () => {
    const metadata = { namespace: "edge-a", labels: { sdewanPurpose: "sdewan-edge-a" } };
    await demo.client.create(Secret, {
      metadata: { name: "planted", namespace: "edge-a" },
      stringData: { psk: inSecret },
    });
    const spec = {
      remote: "10.10.10.99",
      authentication_method: "psk" as const,
      crypto_proposal: ["ipsecproposal"],
      connections: [{ name: "planted", conn_type: "tunnel" as const, mode: "add" as const }],
    };
    const [, simulator] = [...demo.simulators.running].find(([key]) => key.startsWith("edge-a/")) ?? [];
    const repeated = JSON.stringify({ message: `${inClear}, ${inSecret}, ${encodeURIComponent(inClear)}` });
    simulator?.failNext({ status: 400, body: repeated, count: 1_000, match: { method: "POST" } });
    await demo.client.create(IpsecHost, {
      metadata: { ...metadata, name: "refers" },
      spec: { ...spec, preSharedKeySecretRef: { name: "planted", key: "psk" } },
    });
    await demo.client.create(IpsecHost, {
      metadata: { ...metadata, name: "clear" },
      spec: {
        ...spec,
        connections: spec.connections.map((each) => ({ ...each, name: "two" })),
        pre_shared_key: inClear,
      },
    });
    const proposal = { ...metadata, name: "other" };
    await demo.client.create(IpsecProposal, {
      metadata: proposal,
      spec: { encryption_algorithm: "aes256", dh_group: "ecp256", hash_algorithm: "sha256" },
    });
    const rows = ["IpsecHost/edge-a/refers", "IpsecHost/edge-a/clear", "IpsecProposal/edge-a/other"];
    for (const row of rows)
      await expect
        .poll(() => detail("ways", row).then((found) => JSON.stringify(found)), { timeout: 20_000 })
        .toMatch(row.startsWith("IpsecHost") ? /failed.*not shown/ : /failed.*\*\*\*, \*\*\*/);
    const pod = [...demo.simulators.running.keys()].find((key) => key.startsWith("edge-a/")) ?? "";
    const texts = [
      await stream(),
      ...(await Promise.all(["overview", "panels/cnfs", "panels/tunnels", "panels/ways"].map(get))),
      JSON.stringify([await detail("cnfs", pod), ...(await Promise.all(rows.map((row) => detail("ways", row))))]),
    ];
    const spellings = [inClear, inSecret].flatMap((key) => [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString("base64"),
    ]);
    for (const text of texts) for (const spelling of [...spellings, "test_key"]) expect(text).not.toContain(spelling);
    expect(texts.join()).toContain("***");
  });
});
