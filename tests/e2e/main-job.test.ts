import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Connection } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { MainJob, type MainJobSnapshot } from "./harness/main-job.ts";
import { queuedMsOf } from "./harness/program.ts";
import { compositeKindNames, type RuleKindName, ruleKind, ruleKindNames } from "./harness/rules.ts";
import { ruleScenarios } from "./harness/scenarios.ts";

const folder = mkdtempSync(join(tmpdir(), "kubewright-e2e-"));
const kubeconfig = join(folder, "kubeconfig");
const started: MainJob[] = [];
const start = (...args: string[]): MainJob => {
  const job = new MainJob(["--kubeconfig-out", kubeconfig, ...args]);
  started.push(job);
  return job;
};
const endAll = async (): Promise<void> => {
  await Promise.all(started.splice(0).map((job) => job.kill()));
};
afterAll(async () => {
  await endAll();
  rmSync(folder, { recursive: true });
});

/** Measures time, without the time for which a job, started before or later, could run but had no processor. */
function stopwatch(started?: MainJob): (job: MainJob) => number {
  const now = (job?: MainJob): number => performance.now() - (job?.queuedMs ?? queuedMsOf("self") ?? 0);
  const began = now(started);
  return (job) => now(job) - began;
}

/** Returns the names in the collection of a kind, in each CNF of the purpose. */
function heldBy({ cnfs }: MainJobSnapshot, purpose: string, kind: string): string[][] {
  const path = ruleScenarios.find((scenario) => scenario.kind === kind)?.collection ?? "";
  return cnfs
    .filter((cnf) => cnf.purpose === purpose)
    .map(({ config }) =>
      Object.values(config[path] ?? {})
        .flat()
        .map(({ name }) => name),
    );
}
/** Reports whether a CNF's name is a form of a resource's name: unchanged, or with replaced characters. */
const isFormOf = (held: string, name: string): boolean =>
  held === name ||
  held === name.replaceAll(/[^A-Za-z0-9_]/g, "_") ||
  (held.length === 11 && held.slice(0, 5) === name.slice(0, 5));

const isRule = ({ kind }: { readonly kind: string }): boolean => ruleKindNames.some((each) => each === kind);

describe("npm start with --once", () => {
  afterEach(endAll);

  it("ends with everything in sync and one JSON document that matches the CNFs' configurations", async () => {
    const running = stopwatch();
    const job = start("--once", "--output", "json");
    expect([await job.exit, job.stderr]).toEqual([0, expect.not.stringContaining("not in sync")]);
    expect(running(job)).toBeLessThan(60_000);
    expect(job.stdout.trimEnd().split("\n")).toHaveLength(1);
    const snapshot = JSON.parse(job.stdout) as MainJobSnapshot;
    expect(Object.keys(snapshot)).toEqual(["objects", "cnfs"]);

    const { objects, cnfs } = snapshot;
    expect(new Set(objects.map(({ kind }) => kind))).toEqual(
      new Set([...ruleKindNames, ...compositeKindNames, "CNFStatus", "CniInterface"]),
    );
    const rules = objects.filter(isRule);
    expect(rules.filter(({ state }) => state !== "In Sync")).toEqual([]);
    expect(objects.filter(({ kind, state }) => kind === "CniInterface" && state !== "UP")).toEqual([]);
    const composites = objects.filter(({ kind }) => compositeKindNames.some((each) => each === kind));
    const rows = new Set(rules.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`));
    for (const { name, state, message, children = [] } of composites) {
      expect([state, message], name).toEqual(["In Sync", ""]);
      expect(children, name).not.toEqual([]);
      expect(children.filter((child) => !rows.has(child))).toEqual([]);
    }
    const statuses = objects.filter(({ kind }) => kind === "CNFStatus");
    expect(statuses.map(({ namespace, name, state }) => [namespace, name, state])).toEqual([
      ["default", "cnfstatus-sample", "Idle"],
      ["sdewan-system", "cnf-status", "In Sync"],
    ]);
    for (const { kind, name, purpose } of rules) {
      const held = heldBy(snapshot, purpose, kind);
      expect(held.length, `CNFs of ${purpose}`).toBeGreaterThan(0);
      for (const names of held)
        expect(
          names.filter((each) => isFormOf(each, name)),
          `${kind} ${name}`,
        ).not.toEqual([]);
      for (const names of held) expect(new Set(names).size, `${kind}, each once`).toBe(names.length);
    }
    const purposes = cnfs.map(({ purpose }) => purpose);
    expect(purposes.filter((purpose) => purposes.indexOf(purpose) !== purposes.lastIndexOf(purpose))).toHaveLength(2);
    for (const { ip } of cnfs) expect(ip).toMatch(/^127\./);
    expect(job.stdout).not.toContain('"message":"Error');
  }, 300_000);

  it("prints a table by default, with the process's id", async () => {
    const job = start("--once");
    expect(await job.exit).toBe(0);
    expect(job.stdout).toContain(`pid ${job.pid}`);
    expect(job.stdout).toMatch(/KIND +NAMESPACE +NAME +PURPOSE +STATE/);
    expect(job.stdout).toMatch(/Mwan3Policy +default +balance1 +cnf1 +In Sync/);
  });

  it("without samples has only CNFs with their own configuration", async () => {
    const job = start("--once", "--no-samples", "--output", "json");
    expect(await job.exit).toBe(0);
    const { objects, cnfs } = JSON.parse(job.stdout) as MainJobSnapshot;
    expect(objects.map(({ kind, name }) => [kind, name])).toEqual([["CNFStatus", "cnf-status"]]);
    expect(cnfs.length).toBeGreaterThan(1);
  });

  it("applies the samples of another folder, and names those that it could not apply", async () => {
    const samples = mkdtempSync(join(folder, "samples-"));
    const object = (name: string, spec: object) => {
      const metadata = { name, namespace: "default", labels: { sdewanPurpose: "cnf1" } };
      return JSON.stringify({ apiVersion: "batch.sdewan.akraino.org/v1alpha1", kind: "FirewallRule", metadata, spec });
    };
    writeFileSync(join(samples, "good.json"), object("mine", { target: "DROP", proto: "tcp", dest_port: "23" }));
    writeFileSync(join(samples, "bad.json"), object("wrong", { target: "DORP" }));
    const job = start("--once", "--samples", samples, "--output", "json");
    expect(await job.exit).toBe(1);
    expect(job.stderr).toMatch(/refused: FirewallRule default\/wrong: .*spec\.target: Unsupported value: "DORP"/);
    const snapshot = JSON.parse(job.stdout) as MainJobSnapshot;
    expect(snapshot.objects.filter(isRule).map(({ name, state }) => [name, state])).toEqual([["mine", "In Sync"]]);
    expect(heldBy(snapshot, "cnf1", "FirewallRule")).toEqual([["mine"], ["mine"]]);
  });

  it("prints its help", async () => {
    const job = start("--help");
    expect(await job.exit).toBe(0);
    for (const option of ["port", "kubeconfig-out", "samples", "no-samples", "once", "output"])
      expect(job.stdout).toContain(`--${option}`);
    expect(job.stdout).toContain("SIGUSR2");
    expect(job.stderr).toBe("");
  });
});

describe("npm start ends with one clear line and exit code 2", () => {
  afterEach(endAll);
  const fails = async (job: MainJob, line: RegExp): Promise<void> => {
    const exit = await job.exit;
    expect(exit, job.stderr).toBe(2);
    const lines = job.stderr.trimEnd().split("\n");
    expect(lines).toEqual([expect.stringMatching(line)]);
  };

  it("when the port is occupied", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    await fails(start("--once", "--port", String(port)), new RegExp(`port ${port} is in use`));
    await new Promise((resolve) => server.close(resolve));
  });

  it("when the samples cannot be read", () =>
    fails(start("--once", "--samples", join(folder, "missing")), /cannot read the folder .*missing/));

  it("when a sample is not YAML", async () => {
    const samples = mkdtempSync(join(folder, "broken-"));
    writeFileSync(join(samples, "broken.yaml"), "kind: [");
    await fails(start("--once", "--samples", samples), /cannot read .*broken\.yaml/);
  });

  it("when the kubeconfig cannot be written", async () => {
    writeFileSync(join(folder, "file"), "");
    await fails(start("--once", "--kubeconfig-out", join(folder, "file", "kubeconfig")), /cannot write .*kubeconfig/);
  });

  it("when the port is not valid", () => fails(start("--port", "70000"), /70000/));
  it("when an option is unknown", () => fails(start("--twice"), /unknown option '--twice'/));
});

describe("npm start while it runs", () => {
  let job: MainJob;
  let connection: Connection;
  let client: Client;
  const rule = (name: string) => ({
    metadata: { name, namespace: "default", labels: { sdewanPurpose: "cnf1" } },
    spec: { proto: "tcp", dest_port: "23", target: "DROP" },
  });
  const everythingIsHeld = (names: readonly string[] = []) =>
    eventually(() => {
      const { snapshot } = job;
      expect(snapshot.objects.filter((row) => isRule(row) && row.state !== "In Sync")).toEqual([]);
      expect(snapshot.objects.length).toBeGreaterThan(ruleKindNames.length);
      for (const { kind, name, purpose } of snapshot.objects) {
        if (!isRule({ kind })) continue;
        const held = heldBy(snapshot, purpose, kind);
        expect(held.length, purpose).toBe(purpose === "cnf1" ? 2 : 1);
        for (const list of held)
          expect(
            list.some((each) => isFormOf(each, name)),
            `${kind} ${name} on ${purpose}: ${list}`,
          ).toBe(true);
      }
      for (const list of heldBy(snapshot, "cnf1", "FirewallRule"))
        expect(list).toEqual(expect.arrayContaining([...names]));
    }, 110_000);

  beforeAll(async () => {
    job = start("--output", "json");
    await everythingIsHeld();
    connection = Connection.fromKubeConfig(kubeconfig);
    client = new Client({ connection });
  });
  afterAll(async () => {
    await client?.close();
    await connection?.close();
    await endAll();
  });
  const inSync = (kind: RuleKindName, name: string) =>
    eventually(async () => {
      expect((await client.get(ruleKind(kind), `default/${name}`)).status?.state).toBe("In Sync");
    }, 60_000);

  it("has written a kubeconfig that nobody else may read", () => {
    expect(readdirSync(folder)).toContain("kubeconfig");
    if (process.platform !== "win32") expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
  });

  it("loses nothing when SIGUSR2 restarts the API server, and continues", async () => {
    const isComposite = ({ kind }: { readonly kind: string }) => compositeKindNames.some((each) => each === kind);
    await eventually(() => {
      const composites = job.snapshot.objects.filter(isComposite);
      expect(composites).not.toEqual([]);
      expect(composites.filter(({ state, children = [] }) => state !== "In Sync" || children.length === 0)).toEqual([]);
    });
    const before = job.snapshot.objects.length;
    job.signal("SIGUSR2");
    await eventually(() => expect(job.stderr).toContain("restarting the API server"));
    await eventually(() => client.create(ruleKind("FirewallRule"), rule("after-restart")), 60_000);
    await inSync("FirewallRule", "after-restart");
    await everythingIsHeld(["after-restart"]);
    await eventually(() => expect(job.snapshot.objects).toHaveLength(before + 1)); // the view updates on its own
  });

  it("recovers when every CNF pod is deleted at once", async () => {
    const cnfPods = async () => (await client.list(Pod)).filter(({ metadata }) => metadata.labels?.sdewanPurpose);
    const before = await cnfPods();
    for (const { metadata } of before) await client.delete(Pod, `${metadata.namespace}/${metadata.name}`);
    const uids = new Set(before.map(({ metadata }) => metadata.uid));
    await eventually(async () => {
      const pods = await cnfPods();
      expect(pods).toHaveLength(before.length);
      expect(pods.filter(({ metadata }) => uids.has(metadata.uid))).toEqual([]);
      expect(new Set(job.snapshot.cnfs.map(({ pod }) => pod))).toEqual(
        new Set(pods.map(({ metadata }) => metadata.name)),
      );
    }, 60_000);
    await everythingIsHeld();
  });

  it("stops on Ctrl-C within 2 s, cleanly", async () => {
    const running = stopwatch(job);
    job.signal("SIGINT");
    expect(await job.exit).toBe(0);
    expect(running(job)).toBeLessThan(2_000);
  });
});
