import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documents, exchange, type RawResponse } from "./raw-exchange.ts";
import { CnfSimulator, type CnfSimulatorOptions } from "./src/testing/index.ts";

interface Vector {
  readonly group: string;
  readonly seq: number;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: {
    readonly status: number;
    readonly contentType?: string;
    readonly body?: unknown;
    readonly bodyText?: string;
  };
  readonly commands?: readonly string[];
  readonly referenceDefect?: string;
}

const { vectors }: { vectors: readonly Vector[] } = JSON.parse(
  readFileSync(new URL("testdata/vectors.json", import.meta.url), "utf8"),
);
const groups = [...new Set(vectors.map(({ group }) => group))];

/** The environment described in the file. Outputs of commands are those for the answers of its group `status`. */
const environment: CnfSimulatorOptions = {
  password: "s3cret",
  interfaces: [
    {
      name: "eth0",
      ip: "10.233.84.5",
      ip6: "fe80::0/64",
      mac: "0A:00:00:00:00:01",
      receivedPackets: 815,
      sentPackets: 640,
    },
    {
      name: "net0",
      ip: "172.20.5.1",
      ip6: "fe80::0/64",
      mac: "0A:00:00:00:00:03",
      receivedPackets: 31,
      sentPackets: 29,
    },
    {
      name: "net2",
      ip: "10.44.7.2",
      ip6: "fe80::2/64",
      mac: "0A:00:00:00:00:02",
      receivedPackets: 77,
      sentPackets: 66,
    },
  ],
  dns: {
    "shop.default.svc.cluster.local": "10.96.33.3",
    "gone.default.svc.cluster.local": "NXDOMAIN",
  },
};
const statusOutputs: Readonly<Record<string, string>> = {
  "conntrack -L": [
    "tcp 6 431999 ESTABLISHED src=172.20.5.8 dst=10.44.7.9 sport=40100 dport=443 " +
      "src=10.44.7.9 dst=10.44.7.2 sport=443 dport=40100 [ASSURED] mark=0 use=1",
    "udp 17 29 src=172.20.5.8 dst=10.96.0.10 sport=5000 dport=53 src=10.96.0.10 dst=10.44.7.2 sport=53 dport=5000 mark=0 use=1",
  ].join("\n"),
  "ipsec status": "Security Associations (1 up, 0 connecting):\n   edge7-c7{1}:   172.31.9.4/32 === 172.31.9.0/24\n",
  "ip rule": [
    "0:\tfrom all lookup local",
    "650:\tnot from 172.20.5.0/24 fwmark 0x20 lookup 40",
    "32766:\tfrom all lookup main",
  ].join("\n"),
  "ip route show table 40": "172.21.0.0/16 via 10.44.7.1 dev net2",
  "ip route show table local": "local 10.44.7.2 dev net2 proto kernel scope host src 10.44.7.2",
  "ip route show table main":
    "default via 10.233.0.1 dev eth0\n10.44.7.0/24 dev net2 proto kernel scope link src 10.44.7.2",
};

/** Vectors in which the reference deviates from the specification, with the specified behavior. */
const contradicted: Readonly<Record<string, string>> = {
  "mwan3 16": "a missing policy results in 428",
  "firewall 4": "shows the duplicate that seq 3 made, which is refused with 409",
  "firewall 15": "shows the duplicate that seq 14 made, which is refused with 409",
  "firewall 16": "a missing zone results in 428",
  "firewall 19": "address-mask-request is spelt right",
  "firewall 25": "a missing zone results in 428",
  "firewall 39": "deletes what seq 26 made, which is refused for want of a mandatory field",
  "ipsec 9": "if_id is preserved, and connections keep their order",
  "ipsec 10": "if_id is preserved, and connections keep their order",
};

async function start(group: string, quirks: boolean): Promise<CnfSimulator> {
  const outputs = group === "status" ? statusOutputs : {};
  const cnf = await CnfSimulator.start({ ...environment, quirks, outputs });
  cnf.mwan3Status = { interfaces: [] };
  return cnf;
}

async function logIn(cnf: CnfSimulator): Promise<string> {
  const { headers } = await exchange(cnf.port, {
    method: "POST",
    path: "/cgi-bin/luci/",
    headers: [["Content-Type", "application/x-www-form-urlencoded"]],
    body: "luci_username=root&luci_password=s3cret",
  });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function send(
  cnf: CnfSimulator,
  { request }: Vector,
  cookie?: string,
): Promise<RawResponse & { commands: string[] }> {
  const before = cnf.commands.length;
  const answer = await exchange(cnf.port, {
    ...request,
    headers: cookie === undefined ? [] : [["Cookie", cookie]],
    body: request.body === undefined ? null : JSON.stringify(request.body),
  });
  // Read-only commands, which the vectors do not record.
  const looks = /^(ifconfig( \S+)?|ip a show .*|ip (route|rule)( show .*)?|conntrack .*|ipsec status|nslookup .*)$/;
  const commands = cnf.commands.slice(before).map((argv) => argv.join(" "));
  return { ...answer, commands: commands.filter((command) => !looks.test(command)) };
}

function expectAnswer(answer: RawResponse & { commands: string[] }, { response, commands }: Vector): void {
  expect(answer.status).toBe(response.status);
  if (response.contentType !== undefined) expect(answer.headers.get("content-type")).toBe(response.contentType);
  const body = answer.body.toString("utf8");
  if (response.bodyText !== undefined) expect(documents(body)).toEqual(documents(response.bodyText));
  else if (response.body !== undefined) expect(JSON.parse(body)).toEqual(response.body);
  else if (response.status !== 500) expect(body).toBe("");
  expect(answer.commands).toEqual(commands ?? []);
}

describe.each(groups)("vectors of %s, reference", (group) => {
  let cnf: CnfSimulator;
  beforeAll(async () => {
    cnf = await start(group, true);
  });
  afterAll(() => cnf.stop());

  it.each(vectors.filter((vector) => vector.group === group))("$seq: $request.method $request.path", async (vector) => {
    expectAnswer(await send(cnf, vector), vector);
  });
});

describe.each(groups)("vectors of %s, as specified", (group) => {
  let cnf: CnfSimulator;
  let cookie: string;
  beforeAll(async () => {
    cnf = await start(group, false);
    cookie = await logIn(cnf);
  });
  afterAll(() => cnf.stop());

  it.each(vectors.filter((vector) => vector.group === group))("$seq: $request.method $request.path", async (vector) => {
    const answer = await send(cnf, vector, cookie);
    const exception = vector.referenceDefect ?? contradicted[`${vector.group} ${vector.seq}`];
    if (exception === undefined) expectAnswer(answer, vector);
    else expect(() => expectAnswer(answer, vector), exception).toThrow();
    expect(answer.status).not.toBe(500);
  });
});
