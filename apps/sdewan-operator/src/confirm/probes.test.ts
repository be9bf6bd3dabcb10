import { createServer } from "node:net";
import { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { OpenWrtNetworkError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { FakeCnf } from "../testing/fake-cnf.ts";
import { putCnf } from "../testing/fixtures.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import type { Probe } from "./confirm-settings.ts";
import { type ConnectTcp, Probes } from "./probes.ts";

const tunnel: Probe = { type: "tunnel", text: "tunnel/site-a", name: "site-a" };
const tcp = (port: number): Probe => ({ type: "tcp", text: `tcp/h:${port}`, address: "127.0.0.1", port });

const ipsec = (up: number, ...connections: string[]) => [
  {
    name: "ipsec",
    status: { InitConnection: "success", details: connections.map((connection) => ({ connection, up: String(up) })) },
  },
];

function start(connectTcp?: ConnectTcp) {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.7"]);
  const pod = cluster.peek(Pod, "cnfs/edge7-0");
  if (!pod) throw new Error("no pod");
  const cnf = new FakeCnf();
  const clock = new FakeClock();
  const probes = new Probes({ reader: cluster.client, scope: CnfScope.from("*"), clock, connectTcp });
  const site = (name: string, remote: string): void => {
    cluster.put<RuleObject>(IpsecSite, {
      metadata: { name, namespace: "cnfs", labels: { sdewanPurpose: "edge7" } },
      spec: { connections: [{ name: "c", mode: "start", local_subnet: "10.1.0.0/16", remote_subnet: remote }] },
    });
  };
  let closed = 0;
  cnf.close = async () => void closed++;
  const open = async () => cnf;
  const run = (list: readonly Probe[], signal = new AbortController().signal) => probes.run(pod, list, open, signal);
  return { cnf, clock, site, run, closed: () => closed };
}

describe("Probes", () => {
  it("asks the CNF on a new connection, and closes it", async () => {
    const { run, closed, cnf } = start();
    expect(await run([])).toEqual({ answers: true, failure: undefined });
    expect(closed()).toBe(1);
    expect(cnf.requests).toEqual(["GET status/ipsec"]);
  });

  it("reports a CNF that does not answer", async () => {
    const { run, cnf, closed } = start();
    cnf.fail = () => new OpenWrtNetworkError("GET", "refused");
    expect(await run([tunnel])).toEqual({ answers: false, failure: "the CNF's REST API does not respond" });
    expect(closed()).toBe(1);
  });

  it("gives up after 5 seconds", async () => {
    const { run, cnf, clock } = start();
    Object.assign(cnf, { statusOf: () => new Promise(() => {}) });
    const result = run([]);
    await clock.advance(5_000);
    expect(await result).toMatchObject({ answers: false });
    expect(clock.waiting).toBe(0);
  });

  it("recognizes a tunnel by its networks, or because all tunnels are up", async () => {
    const { run, cnf, site } = start();
    site("site-a", "10.2.0.0/16");
    site("site-b", "10.3.0.0/16");
    const failureWith = async (modules: typeof cnf.modules) => {
      cnf.modules = modules;
      return (await run([tunnel])).failure;
    };
    expect(await failureWith(ipsec(1, "10.1.0.0/16 === 10.2.0.0/16"))).toBeUndefined();
    expect(await failureWith(ipsec(2, "dynamic"))).toBeUndefined();
    expect(await failureWith(ipsec(1, "10.1.0.0/16 === 10.3.0.0/16"))).toBe("tunnel/site-a: the tunnel is down");
    expect(await failureWith([])).toBe("tunnel/site-a: the CNF does not report its tunnels");
  });

  it("fails for a tunnel that no resource describes", async () => {
    const { run, cnf } = start();
    cnf.modules = ipsec(1, "x");
    expect((await run([tunnel])).failure).toBe("tunnel/site-a: no IpsecHost or IpsecSite of the CNF has this name");
  });

  it("connects over TCP from this process", async () => {
    const { run } = start();
    const server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    expect((await run([tcp(port)])).failure).toBeUndefined();
    await new Promise((resolve) => server.close(resolve));
    expect((await run([tcp(port)])).failure).toBe(`tcp/h:${port}: the operator cannot connect`);
  });

  it("gives up a TCP connection after 5 seconds", async () => {
    let aborted = false;
    const { run, clock } = start(
      (_address, _port, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(new Error("aborted"));
          }),
        ),
    );
    const result = run([tcp(1)]);
    await clock.advance(5_000);
    expect((await result).failure).toBe("tcp/h:1: the operator cannot connect");
    expect(aborted).toBe(true);
  });
});
