import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import { Cluster, eventually, file } from "./migration/cluster.ts";
import type { Program } from "./migration/program.ts";
import { asked, demandGo } from "./runner/asked.ts";
import { buildCommand } from "./runner/go-suite.ts";
import { kopfFolder } from "./runner/kopf.ts";

const needs = { meta: { needs: "`npm run test:suites`, Go and Python" }, timeout: 300_000 };

let cluster: Cluster;
const started: Program[] = [];
const keep = (program: Program): Program => {
  started.push(program);
  return program;
};
const showOutput = (): void => onTestFailed(() => console.error(started.map(({ output }) => output).join("\n----\n")));

/** Creates Sites under the former program. */
async function createSites(...names: readonly string[]): Promise<void> {
  for (const name of names) await cluster.createSite(name);
  for (const name of names) await cluster.settled(name);
}

/** Waits until a program has reconciled both Sites. */
const reconciledBy = (program: Program): Promise<void> =>
  eventually(() =>
    expect(program.intervals.map(({ name }) => name)).toEqual(expect.arrayContaining(["north", "south"])),
  );

/** Checks that all Sites are up to date, that no object was lost, and that no program writes any more. */
async function expectQuiet(...names: readonly string[]): Promise<void> {
  await cluster.stopEdits();
  for (const name of names) await cluster.settled(name);
  await sleep(1_000);
  expect(await cluster.writesDuring(3_000)).toBe(0);
  expect(cluster.overlaps).toEqual([]);
}

if (asked)
  beforeEach(async () => {
    started.length = 0;
    cluster = await Cluster.start();
  }, 120_000);
afterEach(async () => cluster?.[Symbol.asyncDispose](), 120_000);

describe.runIf(asked)("migration from controller-runtime", needs, () => {
  let program: string;
  beforeAll(async () => {
    demandGo();
    const built = { module: "migration", package: "kubewright.dev/tests/suites/migration" };
    program = join(await buildCommand(built), "migration");
  }, 1_200_000);
  const startFormer = () => keep(cluster.program("controller-runtime", program, []));
  const startPort = () => keep(cluster.port("controller-runtime"));

  it("hands over to the port and back while objects change", async () => {
    showOutput();
    let former = startFormer();
    await createSites("north", "south", "gone");
    const identity = [await cluster.identity("north"), await cluster.identity("south")];
    expect(await cluster.owners("south")).toEqual(["Update migration"]);

    cluster.startEdits("north");
    let port = startPort();
    await sleep(3_000);
    expect(port.intervals).toEqual([]); // it waits for the Lease
    cluster.writes("default/south-page");
    await former.stop();
    await reconciledBy(port);
    await cluster.deleteSite("gone");
    await cluster.createSite("fresh");
    await expectQuiet("north", "south", "fresh");
    expect(cluster.writes("default/south-page")).toBeLessThanOrEqual(3);
    for (const name of ["north", "south", "fresh"]) expect(await cluster.owners(name)).toEqual(["Apply sites"]);

    cluster.startEdits("north");
    former = startFormer();
    await sleep(3_000);
    expect(former.intervals).toEqual([]);
    await port.stop();
    await reconciledBy(former);
    await cluster.deleteSite("fresh");
    await expectQuiet("north", "south");
    expect(cluster.writes("default/south-page")).toBe(1); // adds the field that the port removed

    port = startPort();
    cluster.startEdits("north");
    await former.stop();
    await reconciledBy(port);
    await expectQuiet("north", "south");
    for (const name of ["north", "south"]) expect(await cluster.owners(name)).toEqual(["Apply sites"]);

    expect([await cluster.identity("north"), await cluster.identity("south")]).toEqual(identity);
    expect(cluster.deleted.sort()).toEqual(["records/fresh", "records/gone"]);
  });
});

describe.runIf(asked)("migration from kopf", needs, () => {
  let packages: string;
  beforeAll(async () => {
    packages = await kopfFolder();
  }, 600_000);
  const kopf = (...args: readonly string[]) =>
    cluster.program("kopf", "python3", ["-m", "kopf", ...args], { PYTHONPATH: packages });
  const startFormer = () => keep(kopf("run", "--all-namespaces", "--peering=sites", file("operator.py")));
  const startPort = () => keep(cluster.port("kopf"));
  /** Runs a command of kopf that changes the peering. */
  const run = async (command: string, ...args: readonly string[]): Promise<void> => {
    const peering = ["--all-namespaces", "--id=migration", "--peering=sites"];
    await kopf(command, ...peering, ...args).ended;
  };

  it("hands over to the port and back while objects change", async () => {
    showOutput();
    const first = startFormer();
    await createSites("north", "south", "gone");
    const identity = [await cluster.identity("north"), await cluster.identity("south")];
    expect(await cluster.owners("south")).toEqual(["Update OpenAPI-Generator"]);

    cluster.startEdits("north");
    await run("freeze", "--priority=100", "--lifetime=3600");
    await first.stop(); // a paused program may still start handlers for earlier changes
    cluster.writes("default/south-page");
    const standby = startFormer();
    let port = startPort();
    await eventually(() => expect(standby.output).toContain("authentication has finished"));
    await reconciledBy(port);
    await cluster.deleteSite("gone");
    await cluster.createSite("fresh");
    await expectQuiet("north", "south", "fresh");
    expect(standby.intervals).toEqual([]);
    expect(cluster.writes("default/south-page")).toBeLessThanOrEqual(3);
    for (const name of ["north", "south", "fresh"]) expect(await cluster.owners(name)).toEqual(["Apply sites"]);

    cluster.startEdits("north");
    await port.stop();
    await run("resume");
    await reconciledBy(standby);
    await eventually(() => expect(standby.intervals.map(({ name }) => name)).toContain("fresh"));
    await cluster.deleteSite("fresh");
    await expectQuiet("north", "south");
    expect(cluster.writes("default/south-page")).toBe(1); // adds the field that the port removed

    cluster.startEdits("north");
    await standby.stop();
    port = startPort();
    await reconciledBy(port);
    await expectQuiet("north", "south");
    for (const name of ["north", "south"]) expect(await cluster.owners(name)).toEqual(["Apply sites"]);

    expect([await cluster.identity("north"), await cluster.identity("south")]).toEqual(identity);
    expect(cluster.deleted.sort()).toEqual(["records/fresh", "records/gone"]);
  });
});
