import type { ProjectFile } from "../project/project.ts";

/** Content of the main module. `run` handles flags and signals. */
export const mainText = `import { run } from "kubewright";
import { options, setup } from "./operator.ts";

await run(setup, options);
`;

export const operatorText = ({
  name,
  domain,
  namespaced,
}: ProjectFile): string => `import type { Manager, ManagerOptions } from "kubewright";
import { controllers } from "./controllers/index.ts";
import { webhooks } from "./webhooks/index.ts";

/** Namespace of this program. The manifests in config/ pass it to the pod. */
const namespace = process.env.POD_NAMESPACE ?? "${name}-system";

/** Options of the program, from which roles and manifests are generated. */
export const options: ManagerOptions = {
  name: "${name}",
  fieldOwner: "${name}",
  leaderElection: { id: "${name}.${domain}" },
  // HTTPS, only for users that may read /metrics. --metrics-secure=false switches to plain HTTP.
  metrics: { bindAddress: ":8443", authenticate: true, tls: "self-signed" },
  health: { bindAddress: ":8081" },
  webhooks: {
    certificates: {
      secret: \`\${namespace}/${name}-webhook-server-cert\`,
      service: "${name}-webhook-service",
      name: "${name}",
    },
  },${namespaced ? "\n  cacheOptions: { namespaces: [namespace] }," : ""}
};

/** Adds controllers and webhooks. Must not connect to a cluster: the manager does that later. */
export function setup(manager: Manager): void {
  for (const add of [...controllers, ...webhooks]) add(manager);
}
`;

/**
 * Content of the test that runs the program in a simulated cluster. The test takes the kinds from the program, so it
 * also covers kinds that are added later.
 */
export const simulationText = `import { simulate } from "@kubewright/simulation";
import { Manager } from "kubewright";
import { it } from "vitest";
import { options, setup } from "./operator.ts";

const manager = new Manager(options);
setup(manager);
const { kinds } = manager.describe();

const program = new URL("./operator.ts", import.meta.url);

// Kills the program between writes, fails its requests, hides changes, and checks the result.
it.skipIf(kinds.length === 0)("survives faults", { timeout: 180_000 }, async () => {
  const crds = [new URL("./external", import.meta.url)]; // of other programs
  // Remove this once your controllers write objects.
  const without = { active: "new controllers write nothing" };
  await simulate(program, { kinds, crds, without, schedules: 20 });
});
`;

/**
 * Content of the test that runs the deployed program. The test contains no kinds of its own; it takes the kinds and
 * samples from the project.
 */
export const endToEndText = `import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Client, Connection, type DefinedKind } from "kubewright";
import { afterAll, expect, it, vi } from "vitest";
import * as api from "../src/api/index.ts";

const isKind = (value: unknown): value is DefinedKind =>
  typeof value === "object" && value !== null && "kind" in value && "plural" in value;
const kinds = Object.values<unknown>(api).filter(isKind);
const cli = "node_modules/@kubewright/cli/bin/kubewright.mjs";
const folder = mkdtempSync(join(tmpdir(), "e2e-"));
const kubeconfig = join(folder, "kubeconfig");
// A control plane that runs the deployed program as a process on this machine.
const words = ["controlplane", "--process-images", "--kubeconfig-out", kubeconfig];
const plane = spawn(process.execPath, [cli, ...words], { stdio: ["ignore", "pipe", "inherit"] });

afterAll(async () => {
  if (plane.kill()) await new Promise((resolve) => plane.once("close", resolve));
  rmSync(folder, { recursive: true, force: true });
});

const kubewright = (...words: string[]) =>
  promisify(execFile)(process.execPath, [cli, ...words, "--kubeconfig", kubeconfig]);

it.skipIf(kinds.length === 0)("runs in a cluster, and reconciles the samples", async () => {
  for await (const line of createInterface(plane.stdout)) {
    if (line.includes("control plane ready")) break;
  }
  plane.stdout.resume();
  await kubewright("deploy", "--inline");
  await kubewright("apply", "-f", "config/samples");

  await using client = new Client({ connection: Connection.fromKubeConfig(kubeconfig) });
  for (const kind of kinds) {
    await vi.waitFor(async () => {
      const objects = await client.list(kind);
      expect(objects).not.toEqual([]);
      const ready = { type: "Ready", status: "True" };
      const conditions = expect.arrayContaining([expect.objectContaining(ready)]);
      for (const object of objects) expect(object).toMatchObject({ status: { conditions } });
    }, 60_000);
  }
});
`;
