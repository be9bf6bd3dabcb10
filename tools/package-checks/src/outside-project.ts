import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";
import { fenceUnder } from "./readme.ts";
import type { Tarball } from "./tarballs.ts";

/** Starts a control plane, runs the README's controller against it and waits until it has done its work. */
const harness = `
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, createLogger } from "kubewright";
import { CustomResourceDefinition, Deployment } from "kubewright/kinds";
import { main, Site } from "./controller.js";

const plane = await startControlPlane({});
const stop = new AbortController();
const client = new Client({ connection: plane.connection() });
try {
  await client.create(CustomResourceDefinition, Site.crd);
  const established = () => client.list(Site, {}).then(() => true, () => false);
  while (!(await established())) await new Promise((resolve) => setTimeout(resolve, 20));
  const running = main(plane.connection(), stop.signal);
  await client.create(Site, { metadata: { name: "north", namespace: "default" }, spec: { image: "nginx", replicas: 2 } });
  const ready = async () => (await client.get(Site, "default/north")).status?.readyReplicas === 2;
  const giveUp = AbortSignal.timeout(30_000);
  while (!(await ready())) {
    giveUp.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { spec } = await client.get(Deployment, "default/north");
  console.log("the controller made a Deployment with", spec.replicas, "replicas, all ready");
  stop.abort();
  await running;
} finally {
  stop.abort();
  await client.close();
  await plane.stop();
}
`;

/**
 * Installs the tarballs in an empty project at `folder`, compiles the README's controller there with plain `tsc`, and runs it.
 * Returns what it printed.
 */
export function buildOutside(root: string, folder: string, tarballs: readonly Tarball[]): string {
  mkdirSync(join(folder, "src"), { recursive: true });
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const version = (name: string): string => devDependencies[name] ?? "latest";
  const files = Object.fromEntries(tarballs.map(({ name, path }) => [name, `file:${path}`]));
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  writeFileSync(
    join(folder, "package.json"),
    json({
      name: "outside",
      private: true,
      type: "module",
      dependencies: { ...files, typebox: version("typebox") },
      devDependencies: { typescript: version("typescript"), "@types/node": version("@types/node") },
      overrides: files,
    }),
  );
  writeFileSync(
    join(folder, "tsconfig.json"),
    json({
      compilerOptions: {
        target: "es2024",
        module: "nodenext",
        strict: true,
        types: ["node"],
        rootDir: "src",
        outDir: "dist",
        declaration: true,
      },
      include: ["src"],
    }),
  );
  writeFileSync(
    join(folder, "src", "controller.ts"),
    fenceUnder(readFileSync(join(root, "README.md"), "utf8"), "A controller"),
  );
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder });
  run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."], { cwd: folder });
  writeFileSync(join(folder, "dist", "harness.js"), harness);
  return run(process.execPath, ["dist/harness.js"], { cwd: folder, timeoutMs: 90_000 });
}
