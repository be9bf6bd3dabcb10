import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { UsageError } from "../command/errors.ts";
import type { ApiKind } from "../generate/api-kinds.ts";
import { barrelFiles } from "../project/barrel.ts";
import { fileValueNames } from "../project/code-names.ts";
import { fileNameOf } from "../project/names.ts";
import { findProject } from "../project/project.ts";
import { ProjectFolder } from "../testing/project-folder.ts";
import { apiText } from "./api-text.ts";
import { controllerTestText, controllerText, type ImportedKind, importedAs } from "./controller-text.ts";
import { externalControllerTestText, externalControllerText } from "./external-controller-text.ts";
import { kindRequest } from "./kind-request.ts";
import { conversionTestText, conversionText, webhookTestText, webhookText } from "./webhook-text.ts";

const bin = (name: string): string => fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));
const lib = "es2024,esnext.disposable,esnext.iterator,esnext.collection";

/** Words of the language that may name a value or a type. */
const words =
  `abstract accessor any arguments as asserts assert async await bigint boolean break case catch class const constructor
  continue debugger declare default defer delete do else enum eval export extends false finally for from function get global globalThis
  if implements import in infer instanceof interface intrinsic is keyof let module namespace never new null number object of out
  override package private protected public readonly require return satisfies set static string super switch symbol this throw true
  try type typeof undefined unique unknown using var void while with yield exports process console`.split(/\s+/);

/** Names that exist in every module, and names of folders. */
const others =
  `AggregateError Array ArrayBuffer BigInt Buffer DataView Event File Infinity Intl Iterator JSON Map Math NaN Proxy
  Reflect RegExp Request Response Set URL WeakMap Test Tests Index Controllers Webhooks Main Operator Api Status Spec List Item Con
  Kind KubeObject ObjectMeta Unstructured DefinedKind Partial Readonly Record Vi D`.split(/\s+/);

/** All names in templates: imports, values, types, members. */
const inTemplates = (...texts: readonly string[]): string[] =>
  texts
    .map((text) => text.replace(/"[^"\n]*"|\/\/[^\n]*|\/\*.*?\*\//gs, ""))
    .flatMap((text) => Array.from(text.matchAll(/[A-Za-z]\w*/g), ([word]) => word));

const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const site: ImportedKind = {
  ...{ kind: "Site", ...importedAs("Site") },
  ...{ module: "../api/site.ts", scope: "Namespaced", file: "site" },
};
const both = { defaulting: true, validation: true };
const converted = (hub: ImportedKind) => {
  return {
    kind: hub.kind,
    hub,
    spoke: site,
    spokeVersion: "shop.example.com/v1beta1",
  };
};
const sample = { apiVersion: "shop.example.com/v1", kind: "Site", metadata: { name: "x" }, spec: { message: "hello" } };

it("generates code that compiles for kinds with any name", async () => {
  using project = new ProjectFolder();
  await project.init();
  const { root } = project;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const found = findProject(root);
  const request = (present: readonly ApiKind[], kind: string) =>
    kindRequest(found, present, { group: "shop", version: "v1", kind, plural: `p${present.length}` });
  const used = inTemplates(
    apiText(request([], "Site"), root),
    controllerText(site),
    controllerTestText(site),
    externalControllerText(site),
    externalControllerTestText(site, "x.yaml", { object: sample, errors: [] }),
    webhookText(site, both),
    webhookTestText(site, "site", both),
    conversionText(converted(site)),
    conversionTestText(converted(site), "site-conversion"),
    ...Object.entries(project.files()).flatMap(([path, text]) => (/^src\//.test(path) ? [text] : [])),
  );
  const all = [...words, ...others, ...used].map(upper).filter((kind) => /^[A-Z][A-Za-z0-9]*$/.test(kind));
  const kinds = [...new Map(all.map((kind) => [fileNameOf(kind), kind])).values()];
  expect(kinds).toEqual(expect.arrayContaining(["Class", "Type", "Manager", "Environment", "Client", "Log", "Await"]));

  const present: ApiKind[] = [];
  for (const kind of kinds) {
    const one = request(present, kind);
    present.push({ ...one, crd: {} });
    const { path, exportName } = one;
    const file = path.slice("src/api/".length, -".ts".length);
    const imported = { ...site, kind, ...importedAs(exportName), module: `../api/${file}.ts`, file };
    write(path, apiText(one, root));
    write(`src/controllers/${file}.ts`, controllerText(imported));
    write(`src/controllers/${file}.test.ts`, controllerTestText(imported));
    write(`src/webhooks/${file}.ts`, webhookText(imported, both));
    write(`src/webhooks/${file}.test.ts`, webhookTestText(imported, file, both));
    if (kind !== "Site") {
      write(`src/conversions/${file}.ts`, conversionText({ ...converted(imported), kind }));
      write(`src/conversions/${file}.test.ts`, conversionTestText({ ...converted(imported), kind }, file));
    }
    // External modules may have any name.
    const theirName = /^(?:Type|ObjectOf)$/.test(kind) ? exportName : kind;
    write(`src/external/${file}.ts`, apiText({ ...one, exportName: theirName }, root));
    const others = { ...imported, ...importedAs(theirName), module: `../external/${file}.ts` };
    write(`src/other/${file}.ts`, externalControllerText(others));
    write(`src/other/${file}.test.ts`, externalControllerTestText(others, "x.yaml", { object: sample, errors: [] }));
  }
  for (const { path, text } of barrelFiles(root)) write(path, text);
  const flags = ["--customConditions", "@kubewright/source", "--lib", lib];
  const { status, stdout } = spawnSync(bin("tsc"), flags, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  expect({ status, stdout: stdout.split("\n").slice(0, 40).join("\n") }).toEqual({ status: 0, stdout: "" });
}, 300_000);

it("refuses kinds that share a file, a name in code, a plural or a list kind", async () => {
  using project = new ProjectFolder();
  await project.init();
  const found = findProject(project.root);
  const flags = (kind: string, more: object = {}) => ({ group: "shop", version: "v1", kind, ...more });
  const present = (...all: readonly ReturnType<typeof flags>[]): ApiKind[] => {
    const made: ApiKind[] = [];
    for (const one of all) made.push({ ...kindRequest(found, made, one), crd: {} });
    return made;
  };
  const refusal = (there: readonly ApiKind[], wanted: ReturnType<typeof flags>): string => {
    try {
      kindRequest(found, there, wanted);
      return "";
    } catch (error) {
      return error instanceof UsageError ? error.message : String(error);
    }
  };
  const site = flags("Site");
  const beta = { ...site, version: "v1beta1" };
  expect(refusal(present(flags("HTTPRoute")), flags("HttpRoute"))).toBe(
    '--kind "HttpRoute": its file src/api/http-route.ts is used by HTTPRoute in src/api/http-route.ts; choose a different kind',
  );
  expect(refusal(present(site, beta), flags("SiteV1beta1"))).toContain(
    "its file src/api/site-v1beta1.ts is used by Site",
  );
  expect(refusal(present(site, beta), flags("SiteV1Beta1"))).toContain("its export name SiteV1Beta1 is used by Site");
  expect(refusal(present(flags("Map")), flags("MapResource"))).toContain("its export name MapResource is used by Map");
  expect(refusal(present(site), flags("SiteList"))).toBe(
    '--kind "SiteList": SiteList is the list kind of Site and would conflict with Site in src/api/site.ts; choose a different kind',
  );
  expect(refusal(present(flags("SiteList")), site)).toContain("SiteList is the list kind of Site");
  expect(refusal(present(site), flags("Place", { plural: "sites" }))).toBe(
    '--plural "sites" is used by Site in src/api/site.ts; choose a different plural with --plural',
  );
  expect(refusal(present(flags("Site", { plural: "sitez" })), { ...beta, ...{ plural: "sites" } })).toContain(
    '--plural "sites": all versions share the plural sitez of src/api/site.ts',
  );
  // Without --plural, versions share the plural. Kinds of other groups may reuse it.
  const sitez = present(flags("Site", { plural: "sitez" }), beta);
  expect(sitez.map(({ plural }) => plural)).toEqual(["sitez", "sitez"]);
  expect(refusal(present(site), { ...flags("SiteList"), group: "mall" })).toBe("");
  expect(kindRequest(found, present(flags("Map")), { ...flags("Map"), version: "v2" })).toMatchObject({
    ...{ exportName: "MapV2", path: "src/api/map-v2.ts", isFirst: false },
  });
  expect(kindRequest(found, present(flags("Map")), flags("Map"))).toMatchObject({ isFirst: true, exists: true });
  expect(kindRequest(found, [], flags("Index")).path).toBe("src/api/index-resource.ts");
});

it("refuses conversions whose file belongs to another kind, and kinds that are external", async () => {
  using project = new ProjectFolder();
  await project.init();
  const of = (kind: string, version = "v1") => ["--group", "shop", "--version", version, "--kind", kind];
  for (const [kind, version] of [["Site"], ["Site", "v1beta1"], ["SiteConversion"]] as const)
    expect((await project.run("create", "api", ...of(kind, version), "--no-controller")).code).toBe(0);
  const conversion = ["--conversion", "--hub", "v1", "--spoke", "v1beta1"];
  expect(await project.run("create", "webhook", ...of("Site"), ...conversion)).toEqual({
    code: 2,
    out: "",
    err: '--kind "Site": src/webhooks/site-conversion.ts is needed for the webhooks of SiteConversion in src/api/site-conversion.ts; rename one of the two kinds\n',
  });
  expect((await project.run("create", "webhook", ...of("SiteConversion"), "--defaulting")).err).toContain(
    "src/webhooks/site-conversion.ts is needed for the conversion of Site in src/api/site-v1beta1.ts; rename",
  );
  expect((await project.run("create", "webhook", ...of("Site"), "--defaulting")).code).toBe(0);
  mkdirSync(join(project.root, "src/external"));
  writeFileSync(join(project.root, "src/external/order.ts"), "export {};\n");
  writeFileSync(join(project.root, "src/controllers/order.ts"), "export const add = (): void => {};\n");
  expect(await project.run("create", "api", ...of("Order"))).toEqual({
    code: 2,
    out: "",
    err: '--kind "Order": src/controllers/order.ts is already the controller for the kind in src/external/order.ts; choose a different kind, or pass --no-controller\n',
  });
}, 300_000);

it("gives each file of a barrel a unique name", () => {
  expect(fileValueNames(["a-b", "a_b", "aB", "class", "1st", "controllers", "é"], ["controllers"])).toEqual([
    ...["aB", "aB_", "aB__", "class_", "_1st", "controllers_", "_"],
  ]);
});
