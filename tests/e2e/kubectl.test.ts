import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cnfDeployment } from "./harness/cnf-deployment.ts";
import { eventually } from "./harness/eventually.ts";
import { MainJob } from "./harness/main-job.ts";
import { userEnvironment } from "./harness/program.ts";

/** The kubectl on the PATH, and the one in the folder of the real API server, if it exists. */
const programs = ["kubectl", ...(process.env.KUBEBUILDER_ASSETS ? [`${process.env.KUBEBUILDER_ASSETS}/kubectl`] : [])]
  .map((program) => ({ program, version: versionOf(program) }))
  .filter(({ version }) => version !== undefined);

function versionOf(program: string): string | undefined {
  const { status, stdout } = spawnSync(program, ["version", "--client", "--output=json"], { encoding: "utf8" });
  const answer = status === 0 ? (JSON.parse(stdout) as { clientVersion?: { gitVersion?: string } }) : {};
  return answer.clientVersion?.gitVersion;
}

const apiVersion = "batch.sdewan.akraino.org/v1alpha1";
const rule = (name: string, dest_port: string, purpose = "cnf1") => ({
  apiVersion,
  kind: "FirewallRule",
  metadata: { name, namespace: "default", labels: { sdewanPurpose: purpose } },
  spec: { proto: "tcp", dest_port, target: "DROP" },
});

if (programs.length === 0)
  it.skip("kubectl works with npm start", { meta: { needs: "kubectl on the PATH" } }, () => {});

describe.each(programs)("$program $version with npm start", ({ program }) => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-kubectl-"));
  const kubeconfig = join(folder, "kubeconfig");
  const env = { ...userEnvironment, HOME: folder };
  let job: MainJob;
  const running: ChildProcess[] = [];
  const run = (args: readonly string[], more: Record<string, string> = {}) => {
    const child = spawn(program, ["--kubeconfig", kubeconfig, ...args], { env: { ...env, ...more } });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      output.stdout += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output.stderr += chunk.toString("utf8");
    });
    running.push(child);
    return { child, output, exit: new Promise<number | null>((resolve) => child.on("close", resolve)) };
  };
  const kubectl = async (...args: string[]): Promise<string> => {
    const { output, exit } = run(args);
    expect([await exit, output.stderr], args.join(" ")).toEqual([0, expect.any(String)]);
    return output.stdout;
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { output, exit } = run(args);
    expect(await exit, args.join(" ")).not.toBe(0);
    return output.stderr;
  };
  const file = (name: string, ...objects: object[]): string => {
    const path = join(folder, name);
    writeFileSync(path, objects.map((object) => JSON.stringify(object)).join("\n"));
    return path;
  };
  const inSync = (name: string): Promise<string> =>
    kubectl("wait", `firewallrule/${name}`, "--for=jsonpath={.status.state}=In Sync", "--timeout=30s");
  const heldBy = (purpose: string): unknown[] =>
    job.snapshot.cnfs
      .filter((cnf) => cnf.purpose === purpose)
      .map(({ config }) => Object.values(config["firewall/v1/rules"] ?? {}).flat());

  beforeAll(async () => {
    job = new MainJob(["--kubeconfig-out", kubeconfig, "--output", "json"]);
    await eventually(() => {
      expect(job.snapshot.objects.filter(({ state }) => state === "In Sync").length).toBeGreaterThan(20);
    }, 60_000);
  });
  afterAll(async () => {
    for (const child of running) if (child.exitCode === null) child.kill("SIGKILL");
    await job?.kill();
    rmSync(folder, { recursive: true });
  });

  it("get prints a table with purpose and state", async () => {
    await eventually(async () => {
      const table = await kubectl("get", "mwan3policies", "-A");
      expect(table).toMatch(/^NAMESPACE +NAME +PURPOSE +STATE +AGE\n/);
      expect(table).toMatch(/default +balance1 +cnf1 +In Sync +\d+s/);
    });
    expect(await kubectl("get", "cniinterfaces", "-A")).toMatch(/edge-a +edge-a-net2 +net2 +UP/);
    expect(await kubectl("get", "deployments,pods", "-A")).toMatch(/sdewan-cnf1 +2\/2/);
    expect(await kubectl("get", "nodes")).toMatch(/Ready/);
    expect(JSON.parse(await kubectl("get", "firewallzones", "-A", "-o", "json")).items.length).toBeGreaterThan(2);
  });

  it("apply creates, changes and skips unchanged objects, and refuses invalid ones with the path in the message", async () => {
    expect(await kubectl("apply", "-f", file("rule.json", rule("by-kubectl", "23")))).toMatch(/by-kubectl created/);
    await inSync("by-kubectl");
    expect(await kubectl("apply", "-f", file("rule.json", rule("by-kubectl", "24")))).toMatch(/configured/);
    await eventually(() =>
      expect(heldBy("cnf1")).toEqual([
        expect.arrayContaining([expect.objectContaining({ name: "by-kubectl", dest_port: "24" })]),
        expect.arrayContaining([expect.objectContaining({ name: "by-kubectl", dest_port: "24" })]),
      ]),
    );
    expect(await kubectl("apply", "-f", file("rule.json", rule("by-kubectl", "24")))).toMatch(/unchanged/);
    expect(await kubectl("apply", "--server-side", "-f", file("ssa.json", rule("by-ssa", "25")))).toMatch(
      /serverside-applied/,
    );

    const unknown = { ...rule("wrong", "23"), spec: { target: "DROP", colour: "red" } };
    expect(await refused("apply", "-f", file("wrong.json", unknown))).toContain('unknown field "spec.colour"');
    const wrong = { ...rule("wrong", "23"), spec: { target: "DORP" } };
    expect(await refused("apply", "-f", file("wrong.json", wrong))).toContain('spec.target: Unsupported value: "DORP"');
  });

  it("wait recognizes when a rule, a composite and the state of all CNFs are ready, and that a refused rule is not", async () => {
    const ready = (...args: string[]) => kubectl("wait", "--for=condition=Ready", "--timeout=30s", ...args);
    expect(await ready("firewallrule/by-kubectl")).toContain("condition met");
    expect(await ready("cnfservice/cnfservice-sample")).toContain("condition met");
    expect(await ready("cnfstatus/cnf-status", "-n", "sdewan-system")).toContain("condition met");
    const reachable = ["wait", "cnfstatus/cnf-status", "-n", "sdewan-system", "--for=condition=Reachable"];
    expect(await kubectl(...reachable, "--timeout=30s")).toContain("condition met");

    const nowhere = {
      ...rule("to-nowhere", ""),
      kind: "CNFNAT",
      spec: { src: "iface1", proto: "tcp", target: "DNAT" },
    };
    await kubectl("apply", "-f", file("nowhere.json", nowhere));
    await kubectl("wait", "cnfnat/to-nowhere", "--for=condition=Ready=False", "--timeout=30s");
    expect(await refused("wait", "cnfnat/to-nowhere", "--for=condition=Ready", "--timeout=1s")).toContain("timed out");
    await eventually(async () =>
      expect(await kubectl("describe", "cnfnat", "to-nowhere")).toMatch(
        /Warning +Refused .*dest_ip or dest_port are required for DNAT/,
      ),
    );
    await kubectl("delete", "cnfnat", "to-nowhere");
  });

  it("edit changes a rule through an editor", async () => {
    const editor = join(folder, "editor");
    writeFileSync(editor, '#!/bin/sh\nsed -i.bak \'s/dest_port: "25"/dest_port: "26"/\' "$1"\n');
    chmodSync(editor, 0o755);
    const { output, exit } = run(["edit", "firewallrule", "by-ssa"], { EDITOR: editor, KUBE_EDITOR: editor });
    expect([await exit, output.stdout]).toEqual([0, expect.stringContaining("edited")]);
    await eventually(() =>
      expect(heldBy("cnf1")[0]).toContainEqual(expect.objectContaining({ name: "by-ssa", dest_port: "26" })),
    );
  });

  it("get -w follows changes", async () => {
    const watch = run(["get", "firewallrules", "-w", "--output-watch-events"]);
    await eventually(() => expect(watch.output.stdout).toMatch(/ADDED +by-kubectl/));
    await kubectl("apply", "-f", file("watched.json", rule("watched", "27")));
    await eventually(() => expect(watch.output.stdout).toMatch(/MODIFIED +watched +cnf1 +In Sync/));
    await kubectl("delete", "firewallrule", "watched");
    await eventually(() => expect(watch.output.stdout).toMatch(/DELETED +watched/));
    watch.child.kill();
  });

  it("describe, explain and label work on the operator's kinds", async () => {
    const description = await kubectl("describe", "firewallrule", "by-kubectl");
    expect(description).toMatch(/Name: +by-kubectl/);
    expect(description).toMatch(/State: +In Sync/);
    expect(await kubectl("describe", "pods", "-l", "sdewanPurpose=cnf1")).toMatch(/Status: +Running/);
    expect(await kubectl("explain", "firewallrules.spec")).toMatch(/dest_port\s+<string>/);
    expect(await kubectl("label", "firewallrule", "by-kubectl", "shown=yes")).toMatch(/labeled/);
    expect(await kubectl("get", "firewallrules", "-l", "shown=yes", "-o", "name")).toBe(
      "firewallrule.batch.sdewan.akraino.org/by-kubectl\n",
    );
  });

  it("apply creates a new CNF, and its rules become in sync", async () => {
    const deployment = cnfDeployment({ purpose: "edge-x", namespace: "default", quirks: false, name: "edge-x" });
    const { "cnf-account-secret": _, ...labels } = deployment.spec.template.metadata.labels;
    deployment.spec.template.metadata.labels = { ...labels, "cnf-account-secret": "sdewan-safe-pass" };
    const objects = [rule("on-edge-x", "23", "edge-x"), { apiVersion: "apps/v1", kind: "Deployment", ...deployment }];
    await kubectl("apply", "-f", file("edge-x.json", ...objects));
    await kubectl("rollout", "status", "deployment/edge-x", "--timeout=30s");
    await inSync("on-edge-x");
    await eventually(() => expect(heldBy("edge-x")).toEqual([[expect.objectContaining({ name: "on-edge-x" })]]));
  });

  it("scale adds pods, which get the rules, and removes them", async () => {
    expect(await kubectl("scale", "deployment", "edge-x", "--replicas=3")).toMatch(/scaled/);
    await kubectl("rollout", "status", "deployment/edge-x", "--timeout=30s");
    const held = [expect.objectContaining({ name: "on-edge-x" })];
    await eventually(() => expect(heldBy("edge-x")).toEqual([held, held, held]));
    await kubectl("scale", "deployment/edge-x", "--replicas=1");
    await eventually(() => expect(heldBy("edge-x")).toEqual([held]));
  });

  it("delete removes rules from their CNFs, and a CNF with its pods", async () => {
    expect(await kubectl("delete", "firewallrule", "by-kubectl", "by-ssa")).toMatch(/"by-ssa" deleted/);
    await eventually(() =>
      expect(heldBy("cnf1")[0]).not.toContainEqual(expect.objectContaining({ name: expect.stringMatching(/^by-/) })),
    );
    await kubectl("delete", "deployment", "edge-x");
    await kubectl("wait", "pods", "-l", "sdewanPurpose=edge-x", "--for=delete", "--timeout=30s");
    await kubectl("delete", "firewallrule", "on-edge-x", "--timeout=30s");
    expect(await kubectl("get", "firewallrules", "-o", "name")).not.toContain("on-edge-x");
  });
});
