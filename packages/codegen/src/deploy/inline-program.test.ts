import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { inlineImage, inlineProgram, maxInlineBytes, withImage } from "./inline-program.ts";
import { ProgramObjects } from "./program-objects.ts";

const { deployment } = new ProgramObjects(
  {
    name: "shop",
    kinds: [],
    controllers: [],
    webhooks: [],
    permissions: [],
    caches: [],
    metrics: { isAuthenticated: false },
  },
  { args: ["--leader-elect"] },
);
const bundle = { program: "shop", gzipped: gzipSync("1;"), digest: "sha256:1" };

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}
const containerOf = (object: typeof deployment): Container => {
  const { spec } = object as unknown as { spec: { template: { spec: { containers: [Container] } } } };
  return spec.template.spec.containers[0];
};

it("runs a bundle from a Secret in a stock image", () => {
  const { deployment: inline, secret } = inlineProgram(deployment, bundle);
  expect(secret).toMatchObject({
    metadata: { name: "shop-bundle", namespace: "shop-system" },
    data: { "operator.mjs.gz": bundle.gzipped.toString("base64") },
  });
  const container = containerOf(inline);
  expect(container).toMatchObject({ name: "manager", image: inlineImage, args: ["--leader-elect"] });
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(["/bundle", "/operator"]);
  // A process without mounts finds all paths in the environment.
  expect(container.command.join(" ")).not.toMatch(/\/bundle|\/operator/);
  expect(inline.spec).toMatchObject({
    template: {
      metadata: { annotations: { "kubewright.dev/bundle": "sha256:1" } },
      spec: {
        securityContext: { runAsNonRoot: true, runAsUser: 65532 },
        volumes: [
          { name: "bundle", secret: { secretName: "shop-bundle" } },
          { name: "operator", emptyDir: { sizeLimit: "64Mi" } },
        ],
      },
    },
  });
  expect(inlineProgram(inline, bundle).deployment).toEqual(inline);
  const ofAnyUser = inlineProgram(inline, { ...bundle, hasAnyUser: true }).deployment;
  expect(ofAnyUser.spec).toHaveProperty("template.spec.securityContext", {
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
  });
});

it("starts the program with the same arguments as from a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-inline-"));
  try {
    const code = "console.log(JSON.stringify([process.argv.slice(1), import.meta.url, process.env.NODE_ENV]));\n";
    const packed = join(folder, "operator.mjs.gz");
    writeFileSync(packed, gzipSync(code));
    const file = join(folder, "operator.mjs");
    const { command, args, env } = containerOf(inlineProgram(deployment, bundle).deployment);
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const { status, stdout, stderr } = spawnSync(process.execPath, [...command.slice(1), ...args], {
      env: { ...values, KUBEWRIGHT_BUNDLE: packed, KUBEWRIGHT_OPERATOR: file },
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual([[file, "--leader-elect"], `file://${file}`, "production"]);
    expect(readFileSync(file, "utf8")).toBe(code);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("refuses a bundle that is too large, and a Deployment without the program's container", () => {
  const large = { ...bundle, gzipped: Buffer.alloc(maxInlineBytes + 1) };
  expect(() => inlineProgram(deployment, large)).toThrow(
    "the bundle is 1048577 bytes long, but a Secret can hold at most 1048576",
  );
  expect(inlineProgram(deployment, { ...large, gzipped: Buffer.alloc(maxInlineBytes) })).toBeDefined();
  const two = { containers: [{ name: "a" }, { name: "b" }] };
  const strange = { ...deployment, spec: { template: { spec: two } } };
  expect(() => inlineProgram(strange, bundle)).toThrow('has no container "manager"');
  expect(containerOf(withImage(deployment, "shop:v2"))).toEqual({ ...containerOf(deployment), image: "shop:v2" });
});
