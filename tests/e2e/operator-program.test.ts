import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ignoreNotFound } from "@kubewright/apimachinery";
import { Lease } from "@kubewright/client/kinds";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { named } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { Program } from "./harness/program.ts";
import { TestBed } from "./harness/test-bed.ts";

const folder = mkdtempSync(join(tmpdir(), "kubewright-operator-"));
const kubeconfig = join(folder, "kubeconfig");
const started: Program[] = [];
const start = (...args: string[]): Program => {
  const program = new Program("apps/sdewan-operator/src/main.ts", args);
  started.push(program);
  return program;
};
const nowhere = ["--metrics-bind-address", "0", "--health-probe-bind-address", "0"];
afterEach(async () => {
  await Promise.all(started.splice(0).map((program) => program.kill()));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the operator's program", () => {
  let bed: TestBed;
  beforeAll(async () => {
    bed = await TestBed.start();
    await bed.stopOperator(); // now the program takes over
    writeFileSync(kubeconfig, bed.env.kubeconfig(), { mode: 0o600 });
  });
  afterAll(() => bed?.stop());
  const rule = { proto: "tcp", dest_port: "23", target: "DROP" };

  it("serves the cluster of a kubeconfig, and ends on SIGTERM", async () => {
    const cnf = await bed.createCnf({ quirks: false });
    const port = await freePort();
    const health = `127.0.0.1:${port}`;
    const operator = start(
      "--kubeconfig",
      kubeconfig,
      "--metrics-bind-address",
      "0",
      "--health-probe-bind-address",
      health,
    );
    await cnf.create("FirewallRule", "served", rule);
    await cnf.inSync("FirewallRule", "served");
    expect(named(await cnf.simulator(), "firewall/v1/rules", "served")).toHaveLength(1);
    for (const path of ["healthz", "readyz"]) expect((await fetch(`http://${health}/${path}`)).status).toBe(200);
    operator.signal("SIGTERM");
    expect(await operator.exit).toBe(0);
  });

  it("works in one process at a time with --leader-elect, and the next takes over", async () => {
    const cnf = await bed.createCnf({ quirks: false });
    const args = ["--kubeconfig", kubeconfig, ...nowhere, "--leader-elect", "--leader-election-namespace", "default"];
    const holder = async () => {
      const lease = await bed.client.get(Lease, "default/controller-leader-election-helper").catch(ignoreNotFound);
      return lease?.spec?.holderIdentity ?? "";
    };
    const first = start(...args);
    await eventually(async () => expect(await holder()).not.toBe(""));
    const firstHolder = await holder();
    start(...args);
    await cnf.create("FirewallRule", "by-first", rule);
    await cnf.inSync("FirewallRule", "by-first");
    expect(await holder()).toBe(firstHolder);

    first.signal("SIGTERM");
    expect(await first.exit).toBe(0);
    await cnf.create("FirewallRule", "by-second", rule);
    await cnf.inSync("FirewallRule", "by-second");
    expect(await holder()).not.toBe(firstHolder);
  });

  it("prints its help", async () => {
    const operator = start("--help");
    expect(await operator.exit).toBe(0);
    expect(operator.stdout).toContain("--kubeconfig");
  });

  const fails = async (operator: Program, line: RegExp): Promise<void> => {
    expect(await operator.exit).toBe(2);
    expect(operator.stderr.trimEnd().split("\n").at(-1)).toMatch(line);
    expect(operator.stderr).not.toMatch(/^\s+at /m);
  };

  it("ends with one clear line and exit code 2 if the kubeconfig is broken or missing", async () => {
    const broken = join(folder, "broken");
    writeFileSync(broken, "clusters: [");
    await fails(start("--kubeconfig", broken, ...nowhere), /^sdewan-operator: .*broken/);
    await fails(start("--kubeconfig", join(folder, "missing"), ...nowhere), /^sdewan-operator: .*missing/);
  });

  it("ends with one clear line and exit code 2 if an address is in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const metrics = ["--metrics-bind-address", `127.0.0.1:${port}`, "--health-probe-bind-address", "0"];
    await fails(start("--kubeconfig", kubeconfig, ...metrics), new RegExp(`^sdewan-operator: .*${port}`));
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    [["--cnf-namespaces", "Not/one"], /must be "same", "\*" or a comma-separated list of namespaces/],
    [["--metrics-bind-address", "8080"], /must be host:port, :port or 0/],
    [["--leader-elect"], /^sdewan-operator: --leader-elect requires --leader-election-namespace/],
    [["--no-such-flag"], /unknown option '--no-such-flag'/],
    [["extra"], /too many arguments/],
  ])("ends with one clear line and exit code 2 for %j", (args, line) =>
    fails(start("--kubeconfig", kubeconfig, ...args), line),
  );

  it("ends with 0 if it is stopped before it could begin", async () => {
    const unreachable = join(folder, "unreachable");
    const port = await freePort();
    const text = bed.env.kubeconfig().replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, `https://127.0.0.1:${port}`);
    writeFileSync(unreachable, text, { mode: 0o600 });
    const operator = start("--kubeconfig", unreachable, ...nowhere);
    await eventually(() => expect(operator.stdout + operator.stderr).toContain("cannot read the cluster's kinds"));
    operator.signal("SIGTERM");
    expect(await operator.exit).toBe(0);
  });
});

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    }),
  );
}
