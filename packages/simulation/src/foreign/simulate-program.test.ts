import process from "node:process";
import { fileURLToPath } from "node:url";
import { defineKind } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import type { Step, StepName } from "../schedule/schedule.ts";
import type { ForeignProgram } from "./foreign-world.ts";
import { type ForeignOutcome, runForeignSchedule } from "./run-foreign-schedule.ts";
import { simulateProgram } from "./simulate-program.ts";

/** Kind of the tests' program. */
const Page = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Page",
  scope: "Namespaced",
  spec: Type.Object({ title: Type.String({ minLength: 1 }) }),
});

const program = fileURLToPath(new URL("testing/page-program.ts", import.meta.url));
const { signal } = new AbortController();

const optionsFor = (...args: readonly string[]) => ({
  command: [process.execPath, program, ...args],
  cwd: import.meta.dirname,
  env: process.env,
  crds: [Page.crd],
  kinds: [Page],
  objects: [],
});

function play(program: ForeignProgram, patienceMs: number, ...names: readonly StepName[]): Promise<ForeignOutcome> {
  const steps = names.map((does, number): Step => ({ number, does, afterMs: 300 }));
  const users = { values: {}, properties: new Map(), covered: new Set<string>() };
  const simulation = { program, users, remembers: [], without: {}, patienceMs, signal };
  return runForeignSchedule(simulation, "2", steps);
}

/** Roles that permit a user to read Pages and ConfigMaps, but not to write. */
function readerRoles(user: string) {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
  const rules = [{ apiGroups: ["", "shop.example.com"], resources: ["*"], verbs: ["get", "list", "watch"] }];
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name: "reader" }, rules },
    { apiVersion, kind: "ClusterRoleBinding", metadata: { name: "reader" }, roleRef, subjects },
  ];
}

describe("simulateProgram", () => {
  it("kills a program in another process at its writes, and finds that a correct one recovers", async () => {
    const { problems, story } = await play(optionsFor(), 20_000, "killAfterWrite", "create", "deleteOwned");
    expect(problems).toEqual([]);
    const text = story.text();
    expect(text).toMatch(/user +creates Page default\/\w+ \{"title":/);
    expect(text).toMatch(/fault +killed after create configmaps default → 201/);
    expect(text).toContain("restarts the program");
  });

  it("finds an object that remains because it has no owner", async () => {
    const { problems } = await play(optionsFor("no-owner"), 3_000, "create");
    expect(problems).toEqual([
      expect.stringMatching(
        /^deletion: ConfigMap default\/\w+ still exists, and has no owner reference although all objects/,
      ),
    ]);
  });

  it("finds a missing permission", async () => {
    const user = "page-program";
    const { problems } = await play({ ...optionsFor(), user, objects: readerRoles(user) }, 500, "create");
    expect(problems).toEqual(["clean: the program may not create configmaps default"]);
  });

  it("finds that the program never writes", async () => {
    const without = { history: "x", idempotent: "x", healing: "x", deletion: "x" };
    const options = { ...optionsFor("idle"), seed: 1, schedules: 2, patienceMs: 300, signal };
    const { failure } = await simulateProgram({ ...options, without });
    expect(failure).toMatchObject({
      schedule: 1,
      problems: [expect.stringMatching(/^active: the program wrote nothing in 2 schedules; check that/)],
      story: expect.stringContaining("creates Page"),
    });
  });

  it("ends on request, with the reason", async () => {
    const stop = new AbortController();
    const print = (): void => stop.abort(new Error("enough"));
    const options = { ...optionsFor(), seed: 1, schedules: 1_000, print, signal: stop.signal };
    const without = { history: "x", idempotent: "x", healing: "x", deletion: "x" };
    await expect(simulateProgram({ ...options, without, patienceMs: 100 })).rejects.toThrow("enough");
  });

  it("reports what a program printed that does not start", async () => {
    const simulation = simulateProgram({ ...optionsFor("crash"), seed: 1, schedules: 1, signal });
    await expect(simulation).rejects.toThrow(
      /^the program ended before it watched any resource; it must use the kubeconfig .* It printed:\n(.*\n)*.*the program has a bug/,
    );
  });
});
