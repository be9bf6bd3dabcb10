import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");

/** Exports of a library of controllers, with inferred types. */
const program = `
import { Type } from "typebox";
import {
  type Client, asReconciler, type Connection, controllerReference, createOrUpdateWithResult, defineKind,
  type KubeObject, mutableCopy, typedSchema, unstructured,
} from "kubewright";
import { Deployment } from "kubewright/kinds";
import { admission, admissionHandler, allowed } from "kubewright/webhooks";

export const Site = defineKind({
  group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced",
  spec: Type.Object({ image: Type.String(), replicas: Type.Integer({ minimum: 0, default: 1 }) }),
  status: Type.Object({ readyReplicas: Type.Optional(Type.Integer()) }),
});
export const Bare = defineKind({ group: "shop.example.com", version: "v1", kind: "Bare", scope: "Cluster" });
export const schema = typedSchema<{ size: number }>({ type: "object" });
export const Typed = defineKind({ group: "shop.example.com", version: "v1", kind: "Typed", scope: "Cluster", spec: schema });
export const Any = unstructured({ apiVersion: "v1", kind: "Any" });
export const sites = (client: Client) => client.list(Site);
export const pages = (client: Client) => client.listPages(Site);
export const site = (client: Client) => client.get(Site, "a/b");
export const watch = (client: Client) => client.watch(Site);
export const copy = async (client: Client) => mutableCopy(await client.get(Site, "a/b"));
export const result = (client: Client) => createOrUpdateWithResult(client, Site, "a/b", () => {});
export const reference = (owner: KubeObject) => controllerReference(owner);
export const scale = (client: Client) => client.subResource("scale").get(Deployment, "a/b");
export const settings = (connection: Connection) => connection.settings;
export const answer = (connection: Connection) => connection.request({ path: "/" });
export const reconcile = asReconciler(Site, async () => {});
export const webhooks = admission(Site).validate({ create: (site) => site.spec.image });
export const pods = admissionHandler("/pods", {}, () => allowed());
`;

it("lets a program that depends only on this package emit declarations", () => {
  const folder = mkdtempSync(join(tmpdir(), "declarations-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(dirname(import.meta.dirname), join(folder, "node_modules", "kubewright"));
    symlinkSync(join(root, "node_modules", "typebox"), join(folder, "node_modules", "typebox"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(folder, "program.ts"), program);
    const compilerOptions = {
      ...{ target: "es2024", module: "nodenext", strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
      ...{ declaration: true, emitDeclarationOnly: true, outDir: "out", rootDir: "/", types: [] },
      ...{ customConditions: ["@kubewright/source"], allowImportingTsExtensions: true },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", cwd: folder });
    expect(stdout.split("\n").filter((line) => line.startsWith("program.ts"))).toEqual([]);
    expect(readFileSync(join(folder, "out", realpathSync(folder), "program.d.ts"), "utf8")).toContain(
      "export declare const Site",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);
