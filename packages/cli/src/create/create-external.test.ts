import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineKind } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { startControlPlane } from "@kubewright/controller-manager";
import { Type } from "typebox";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { ProjectFolder } from "../testing/project-folder.ts";

const spec = Type.Object({ secretName: Type.String({ description: "Where it is stored.", minLength: 3 }) });
const Certificate = defineKind({
  group: "cert-manager.io",
  version: "v1",
  kind: "Certificate",
  scope: "Namespaced",
  spec,
});
const Issuer = defineKind({ group: "cert-manager.io", version: "v1", kind: "Issuer", scope: "Namespaced" });
const bin = (name: string): string => fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));

it("adds an external kind: types and a controller that may read it, but no definition in config/", async () => {
  using project = new ProjectFolder();
  await project.init();
  const write = (path: string, text: string): void => writeFileSync(join(project.root, path), text);
  write("others.yaml", [Certificate.crd, Issuer.crd].map((crd) => stringify(crd)).join("---\n"));
  const words = ["create", "api", "--external", "others.yaml"];
  expect(await project.run(...words)).toMatchObject({
    code: 2,
    err: '--external "others.yaml" contains Certificate.cert-manager.io, Issuer.cert-manager.io; choose one with --kind\n',
  });
  expect(await project.run(...words, "--kind", "Order")).toMatchObject({ code: 1 });
  expect(await project.run(...words, "--plural", "x")).toMatchObject({ code: 2 });
  expect(await project.run("create", "api", "--external", "Certificate")).toMatchObject({
    code: 2,
    err: expect.stringContaining('such as "certificates.cert-manager.io"'),
  });
  expect(await project.run("create", "api", "--external", "nosuch.yaml")).toMatchObject({ code: 1 });

  expect(await project.run(...words, "--kind", "Certificate")).toMatchObject({ code: 0, err: "" });
  const files = project.files();
  expect(files["src/external/certificate.ts"]).toContain("export const Certificate: Kind<Certificate>");
  expect(files["src/controllers/index.ts"]).toContain("[certificate]");
  expect(Object.keys(files).filter((path) => path.startsWith("config/crd"))).toEqual([]);
  expect(files["config/rbac/role.yaml"]).toMatch(/- certificates\n {4}verbs:\n {6}- get\n {6}- list\n {6}- watch\n/);
  expect(files["config/rbac/role.yaml"]).not.toContain("certificates/status");
  expect(await project.run(...words, "--kind", "Certificate")).toEqual({ code: 0, out: "", err: "" });
  expect(project.files()).toEqual(files);

  const config = `import project from "./vitest.config.ts";
const conditions = ["@kubewright/source", "node", "import", "module", "default"];
export default { ...project, resolve: { conditions }, ssr: { resolve: { conditions } } };
`;
  write("workspace.config.ts", config);
  const lib = "es2024,esnext.disposable,esnext.iterator,esnext.collection";
  for (const [name, ...more] of [
    ["tsc", "--customConditions", "@kubewright/source", "--lib", lib],
    ["vitest", "run", "--config", "workspace.config.ts", "--maxWorkers=1"],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(bin(name), more, { cwd: project.root, encoding: "utf8" });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  }
}, 600_000);

it("reads a definition from the cluster, and refuses the kinds that the project defines", async () => {
  await using plane = await startControlPlane({});
  await using client = new Client({ connection: plane.connection() });
  await client.create(CustomResourceDefinition, Certificate.crd as CustomResourceDefinition);
  using project = new ProjectFolder();
  await project.init();
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  const name = "certificates.cert-manager.io";
  const words = ["create", "api", "--external", name, "--kubeconfig", "kubeconfig", "--no-controller"];
  expect((await project.run(...words)).code).toBe(0);
  expect(project.files()[`src/external/${name}.yaml`]).not.toContain("resourceVersion");
  expect(project.files()).not.toHaveProperty(["src/controllers/certificate.ts"]);
  expect((await project.run(...words.with(3, "orders.cert-manager.io"))).code).toBe(3);

  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site", "--no-controller");
  const { root } = project;
  const group = /group: "(.*?)"/.exec(project.files()["src/api/site.ts"] ?? "")?.[1] ?? "";
  const own = defineKind({ group, version: "v2", kind: "Site", scope: "Namespaced" });
  writeFileSync(join(root, "own.yaml"), stringify(own.crd));
  expect(await project.run("create", "api", "--external", "own.yaml")).toMatchObject({
    code: 2,
    err: `--external: the project already defines Site of ${group} in src/api/site.ts\n`,
  });
}, 300_000);

it("adds the group to the name of a kind that is in use, and never overwrites the files of another kind", async () => {
  using project = new ProjectFolder();
  await project.init();
  const { root } = project;
  const gateway = (group: string): string => {
    const annotations = { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/1" };
    const { crd } = defineKind({ group, version: "v1", kind: "Gateway", scope: "Namespaced", annotations });
    writeFileSync(join(root, `${group}.yaml`), stringify(crd));
    return `${group}.yaml`;
  };
  const create = (file: string, ...more: string[]) =>
    project.run("create", "api", "--external", file, "--no-controller", ...more);
  const [istio, kubernetes, third] = ["networking.istio.io", "gateway.networking.k8s.io", "example.org"].map(gateway);
  const typesIn = (path: string): string | undefined =>
    /^export const (\w+)/m.exec(project.files()[`src/external/${path}.ts`] ?? "")?.[1];
  expect((await create(istio ?? "")).code).toBe(0);
  expect((await create(kubernetes ?? "")).code).toBe(0);
  expect((await create(kubernetes ?? "")).out, "the same files again").toBe("");
  expect((await create(third ?? "", "--as", "OtherGateway")).code).toBe(0);
  expect(["gateway", "gateway-networking-k8s-gateway", "other-gateway"].map(typesIn)).toEqual([
    "Gateway",
    "GatewayNetworkingK8sGateway",
    "OtherGateway",
  ]);
  expect(project.files()["src/external/gateway.ts"]).toContain("gateways.networking.istio.io");
  expect(await create(third ?? "", "--as", "Gateway")).toMatchObject({
    code: 2,
    err: '--as "Gateway": gateway.ts belongs to a different kind; choose a different name\n',
  });
  expect(await create(third ?? "", "--as", "other")).toMatchObject({ code: 2 });

  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Certificate");
  writeFileSync(join(root, "others.yaml"), stringify(Certificate.crd));
  expect(await project.run("create", "api", "--external", "others.yaml")).toMatchObject({ code: 0, err: "" });
  expect(typesIn("cert-manager-certificate")).toBe("CertManagerCertificate");
  expect(project.files()["src/controllers/certificate.ts"]).toContain('from "../api/certificate.ts"');
  expect(project.files()["src/controllers/cert-manager-certificate.ts"]).toContain(
    'import { CertManagerCertificate } from "../external/cert-manager-certificate.ts"',
  );

  expect(project.files()["src/controllers/cert-manager-certificate.ts"]).toContain(
    '.named("cert-manager-certificate")',
  );

  writeFileSync(join(root, "both.yaml"), [Certificate.crd, Issuer.crd].map((crd) => stringify(crd)).join("---\n"));
  const kinds = (...more: string[]) => project.run("generate", "kinds", "--out", "out", ...more);
  expect((await kinds("-f", "both.yaml", "--as", "Both")).err).toContain(
    '--as "Both" applies to one kind, but there are 2',
  );
  const two = [istio, third].map((file) => project.files()[file ?? ""]).join("---\n");
  writeFileSync(join(root, "two.yaml"), two);
  expect((await kinds("-f", "two.yaml")).out).toBe("  out/networking-istio-gateway.ts\n  out/example-gateway.ts\n");
  writeFileSync(join(root, "out/issuer.ts"), "export {};\n");
  expect((await kinds("-f", "both.yaml")).out).toBe("  out/certificate.ts\n  out/cert-manager-issuer.ts\n");
  expect(project.files()["out/issuer.ts"]).toBe("export {};\n");
  writeFileSync(join(root, "out/cert-manager-issuer.ts"), "export {};\n");
  expect(await kinds("-f", "both.yaml")).toMatchObject({
    code: 1,
    err: "cert-manager-issuer.ts belongs to a different kind; choose a name for Issuer with --as\n",
  });
}, 300_000);

it("refuses invalid names in a definition, which could end up in paths or code", async () => {
  using project = new ProjectFolder();
  await project.init();
  const { crd } = Issuer;
  const before = project.files();
  for (const [field, evil] of Object.entries({
    plural: { names: { ...crd.spec.names, plural: "../../../escaped" } },
    kind: { names: { ...crd.spec.names, kind: "A, x) => globalThis.process.exit(7)); asReconciler(A" } },
    path: { names: { ...crd.spec.names, kind: "../../../Escaped" } },
    group: { group: "../../../escaped" },
  })) {
    writeFileSync(join(project.root, "evil.yaml"), stringify({ ...crd, spec: { ...crd.spec, ...evil } }));
    const { code, err } = await project.run("create", "api", "--external", "evil.yaml");
    expect([field, code, err]).toEqual([field, 1, expect.stringMatching(/evil\.yaml: .*spec\.(names\.)?\w+: ".*": /)]);
    rmSync(join(project.root, "evil.yaml"));
  }
  expect(project.files()).toEqual(before);
}, 60_000);
