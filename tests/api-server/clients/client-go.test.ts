import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientUser, startForClients } from "./served-cluster.ts";

const needs = { meta: { needs: "Go on the PATH" } };

const run = promisify(execFile);
const hasGo = spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;
if (!hasGo) console.warn("skipped: the checks written with client-go, because Go is not installed");

const checks = [
  "an informer factory syncs and receives changes",
  "a dynamic informer follows custom resources",
  "a metadata informer receives only metadata",
  "an indexer finds by index",
  "a retry watcher continues where its stream ended",
  "a watch from an expired version gets an error",
  "lists come in chunks",
  "typed create, get, update, delete",
  "custom resources through the dynamic client",
  "four patch types",
  "apply, with conflict, force and extraction",
  "an update of an outdated version is a conflict",
  "scale and status are subresources",
  "an eviction deletes, unless a budget forbids it",
  "leader election hands over",
  "recorded events arrive",
  "discovery and a RESTMapper",
  "OpenAPI, version 2 as protobuf and version 3",
  "a requested token is valid in a review",
  "access reviews, and an impersonated user without permission",
  "errors have their reasons",
];

const protobuf = "application/vnd.kubernetes.protobuf";

/** Ways in which programs configure client-go. */
const configurations: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: "by default", args: [] },
  { name: "with JSON", args: ["--content-type=application/json"] },
  { name: "with protobuf, without an Accept header", args: [`--content-type=${protobuf}`] },
  { name: "with protobuf before JSON", args: [`--content-type=${protobuf}`, `--accept=${protobuf},application/json`] },
  { name: "with protobuf alone", args: [`--content-type=${protobuf}`, `--accept=${protobuf}`] },
  { name: "over HTTP/1.1", args: ["--http1"] },
];

describe.skipIf(!hasGo)("client-go", needs, () => {
  const folder = mkdtempSync(join(tmpdir(), "client-go-"));
  const program = join(folder, "checks");

  beforeAll(async () => {
    const cwd = fileURLToPath(new URL("go", import.meta.url));
    // Without optimization, which takes a third of the time of compiling client-go.
    await run("go", ["build", "-gcflags=all=-N -l", "-ldflags=-s -w", "-o", program, "."], {
      cwd,
      env: { ...process.env, CGO_ENABLED: "0" },
    });
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(configurations)("$name", ({ args }) => {
    const errors = new Map<string, string>();

    beforeAll(async () => {
      await using server = await startForClients();
      await server.compact();
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, server.kubeconfig(clientUser), { mode: 0o600 });
      const { stdout } = await run(program, [`--kubeconfig=${kubeconfig}`, ...args]);
      for (const line of stdout.trim().split("\n")) {
        const { name, error = "" } = JSON.parse(line) as { readonly name: string; readonly error?: string };
        errors.set(name, error);
      }
    }, 300_000);

    it.each(checks)("%s", (name) => expect(errors.get(name)).toBe(""));

    it("ran no other configurations", () => expect([...errors.keys()]).toEqual(checks));
  });
});
