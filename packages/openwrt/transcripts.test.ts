import { readFileSync } from "node:fs";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documents, exchange, type RawRequest } from "./raw-exchange.ts";
import { CnfSimulator } from "./src/testing/index.ts";

type BodyPart = string | { readonly repeat: string; readonly times: number };

interface Step {
  readonly name: string;
  readonly waitBefore?: number;
  readonly fileBefore?: Readonly<Record<string, string>>;
  readonly request: Omit<RawRequest, "headers"> & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly bodyParts?: readonly BodyPart[];
  };
  readonly response: {
    readonly status: number;
    readonly reason: string;
    readonly contentType: string | null;
    readonly body?: string;
    readonly bodyBase64?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly hostPage?: boolean;
  };
  readonly uciAfter?: Readonly<Record<string, string | null>>;
  readonly filesAfter?: Readonly<Record<string, string | null>>;
  readonly commands?: readonly (readonly string[])[];
}

interface Group {
  readonly group: string;
  readonly auth: "required" | "stock";
  readonly sessionTimeout?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly removedFiles?: readonly string[];
  readonly steps: readonly Step[];
}

const groups: readonly Group[] = JSON.parse(
  readFileSync(new URL("testdata/transcripts.json", import.meta.url), "utf8"),
);

const mwan3Status = {
  interfaces: {
    net1: {
      ...{ enabled: true, score: 0, up: true, age: 0, turn: 0, track_ip: [], online: 130, uptime: 130, running: false },
      ...{ lost: 0, offline: 0, tracking: "disabled", status: "online" },
    },
    net2: {
      ...{ enabled: true, score: 10, up: true, age: 2, turn: 1, online: 128, uptime: 130, running: true, lost: 0 },
      track_ip: [{ status: "up", latency: 6, packetloss: 0, ip: "8.8.8.8" }],
      ...{ offline: 0, tracking: "active", status: "online" },
    },
  },
  connected: { ipv6: [], ipv4: ["10.10.20.0/24", "172.16.70.0/24"] },
  policies: {
    ipv6: [],
    ipv4: {
      balanced: [
        { percent: 60, interface: "net2" },
        { percent: 40, interface: "net1" },
      ],
    },
  },
};

const conntrack = [
  "tcp      6 431999 ESTABLISHED src=10.244.1.17 dst=10.96.0.1 sport=41022 dport=443 " +
    "src=10.96.0.1 dst=10.244.1.17 sport=443 dport=41022 [ASSURED] mark=0 use=1",
  "udp      17 170 src=10.10.20.10 dst=10.10.20.11 sport=500 dport=500 " +
    "src=10.10.20.11 dst=10.10.20.10 sport=500 dport=500 [ASSURED] mark=0 use=1",
  "udp      17 20 src=172.16.70.39 dst=172.16.70.1 sport=53012 dport=53 " +
    "src=172.16.70.1 dst=172.16.70.39 sport=53 dport=53012 mark=0 use=1",
  "icmp     1 29 src=10.244.1.17 dst=10.244.1.1 type=8 code=0 id=1 src=10.244.1.1 dst=10.244.1.17 type=0 code=0 id=1",
].join("\n");

const interfaces = [
  { name: "eth0", ip: "10.244.1.17", mac: "0A:58:0A:F4:01:11", receivedPackets: 5120, sentPackets: 4870 },
  { name: "net1", ip: "172.16.70.39", mac: "0A:58:AC:10:46:27", receivedPackets: 310, sentPackets: 288 },
  {
    ...{ name: "net2", ip: "10.10.20.10", ip6: "fd00:20::a/64", mac: "0A:58:0A:0A:14:0A" },
    ...{ receivedPackets: 1204, sentPackets: 1177 },
  },
  { name: "net3", ip: "10.10.30.10", mac: "0A:58:0A:0A:1E:0A", receivedPackets: 96, sentPackets: 75 },
];

function startCnf(
  { auth, sessionTimeout = 3600, files, removedFiles = [] }: Group,
  clock: FakeClock,
): Promise<CnfSimulator> {
  return CnfSimulator.start({
    quirks: true,
    auth,
    clock,
    interfaces,
    password: "sdewan",
    sessionIdleMs: sessionTimeout * 1000,
    dns: { "web.default.svc.cluster.local": "10.96.4.196", "db.default.svc.cluster.local": "10.96.205.19" },
    outputs: { "conntrack -L": conntrack },
    files: {
      "etc/sdewan_svc.info": "istio istio-ingressgateway.istio-system.svc.cluster.local 0 0 0.0.0.0 1\n",
      ...files,
      ...Object.fromEntries(removedFiles.map((path) => [path, undefined])),
    },
  });
}

function changes(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): object {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => before[name] !== after[name]);
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

function changeFile(cnf: CnfSimulator, path: string, text: string): void {
  if (path === "state/ipsec-down") cnf.ipsec.isPeerDown = true;
  else if (path === "state/mwan3-status.json" && text === "") cnf.mwan3Status = undefined;
  else throw new Error(`cannot change ${path}`);
}

describe.each(groups)("transcript $group", (group) => {
  const clock = new FakeClock();
  let cnf: CnfSimulator;
  let token = "";

  beforeAll(async () => {
    cnf = await startCnf(group, clock);
    cnf.mwan3Status = mwan3Status;
  });
  afterAll(() => cnf.stop());

  it.each(group.steps.map((step) => ({ ...step, label: step.name })))("$label", async (step) => {
    await clock.advance((step.waitBefore ?? 0) * 1000);
    for (const [path, text] of Object.entries(step.fileBefore ?? {})) changeFile(cnf, path, text);
    const before = { uci: cnf.uci.texts(), files: Object.fromEntries(cnf.files), commands: cnf.commands.length };
    const { bodyParts, ...request } = step.request;
    const fill = (text: string): string => text.replace("{{token}}", token);

    const answer = await exchange(cnf.port, {
      ...request,
      path: fill(request.path),
      headers: Object.entries(request.headers ?? {}).map(([name, value]) => [name, fill(value)] as const),
      body: bodyParts
        ? bodyParts.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("")
        : (request.body ?? null),
    });
    token = /^sysauth=([\da-f]{32});/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? token;

    const { status, reason, contentType, body, bodyBase64, headers, hostPage } = step.response;
    expect({ status: answer.status, reason: answer.reason }).toEqual({ status, reason });
    expect(answer.headers.get("content-type") ?? null).toBe(contentType);
    const shown = ["set-cookie", "location", "x-luci-login-required"].filter((name) => answer.headers.has(name));
    expect(Object.fromEntries(shown.map((name) => [name, answer.headers.get(name)]))).toEqual(
      Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, fill(value)])),
    );
    if (!hostPage) {
      const expected = bodyBase64 === undefined ? Buffer.from(body ?? "") : Buffer.from(bodyBase64, "base64");
      expect(documents(answer.body.toString("latin1"))).toEqual(documents(expected.toString("latin1")));
    }
    expect(changes(before.uci, cnf.uci.texts())).toEqual(step.uciAfter ?? {});
    expect(changes(before.files, Object.fromEntries(cnf.files))).toEqual(step.filesAfter ?? {});
    expect(cnf.commands.slice(before.commands)).toEqual(step.commands ?? []);
  });
});
