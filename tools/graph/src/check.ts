import { globSync } from "node:fs";
import { join, posix } from "node:path";
import { ambientUses } from "./ambient.ts";
import { circles } from "./circles.ts";
import { silentDeprecations } from "./deprecations.ts";
import { floors } from "./floors.ts";
import { type Import, importsUnder } from "./imports.ts";
import { undeclaredReads } from "./reads.ts";
import { roomViolations } from "./rooms.ts";
import { singleUseFiles, singleUseViolations } from "./single-use.ts";
import { readWorkspace, type WorkspacePackage } from "./workspace.ts";

/** A violation of the rules for the package graph, as a sentence that contains its place and what is allowed. */
export type Violation = string;

/**
 * Checks every import and every dependency of the workspace at `root`, and returns the violations: imports from the same floor or a
 * higher one, imports of files that are not exported, dependencies that are not declared, imports of a package's own entry, reads of
 * files that are not inputs of the tests, incomplete deprecations, and uses of the platform's time and randomness.
 */
export function checkGraph(root: string): readonly Violation[] {
  const packages = readWorkspace(root);
  const byName = new Map(packages.map((one) => [one.name, one]));
  return packages.flatMap((one) => {
    if (!one.floor)
      return [`${one.folder}/package.json: no floor; set "nx": { "tags": ["floor:…"] } to one of ${floors.join(", ")}`];
    const dependencies = one.dependencies.flatMap((name) => {
      const target = byName.get(name);
      const wrong = target && against(one, target);
      return wrong ? [`${one.folder}/package.json: depends on ${name}: ${wrong}`] : [];
    });
    const found = importsUnder(root, one.folder);
    const imports = found.flatMap((each) => {
      const wrong = checkImport(one, each, byName);
      return wrong ? [`${each.file}:${each.line}: imports ${each.specifier}: ${wrong}`] : [];
    });
    return [
      ...dependencies,
      ...imports,
      ...inside(root, one, found),
      ...undeclaredReads(root, one, packages),
      ...ambientUses(root, one),
      ...silentDeprecations(root, one),
    ];
  });
}

/**
 * Checks the inside of a library or app: the order of its rooms, import cycles, and files that should be merged into their
 * only importer.
 */
function inside(root: string, one: WorkspacePackage, imports: readonly Import[]): readonly Violation[] {
  if (one.floor === "check") return [];
  const beside = one.rooms.filter((room) => room.startsWith("../"));
  const files = ["", ...beside].flatMap((room) =>
    globSync("**/*.ts", { cwd: join(root, one.folder, "src", room) }).map((name) =>
      posix.join(room, name.replaceAll("\\", "/")),
    ),
  );
  const rooms = roomViolations(one, files.sort(), imports);
  const round = circles(imports).map((knot) => `import cycle: ${knot.join(", ")}`);
  const singleUse = singleUseViolations(root, one, singleUseFiles(root, one, files, imports));
  return [...rooms, ...round, ...singleUse];
}

function checkImport(
  from: WorkspacePackage,
  each: Import,
  byName: ReadonlyMap<string, WorkspacePackage>,
): string | undefined {
  if (each.specifier.startsWith(".")) return checkRelative(from, each);
  const { name, subpath } = splitSpecifier(each.specifier);
  const target = byName.get(name);
  if (!target) return undefined;
  if (target === from && !isTest(each.file)) return "a package must not import itself by its name; import the file";
  const wrong = against(from, target);
  if (wrong) return wrong;
  if (!target.exported.has(subpath)) return `${name} does not export "${subpath}"`;
  if (target === from || from.dependencies.includes(name)) return undefined;
  if (from.devDependencies.includes(name) && isOfDevelopment(from, each.file)) return undefined;
  return `${name} is missing from the dependencies in ${from.folder}/package.json`;
}

function checkRelative(from: WorkspacePackage, each: Import): string | undefined {
  const target = posix.join(posix.dirname(each.file), each.specifier);
  const own = posix.relative(from.folder, target);
  if (own.startsWith("..") && !/^(\.\.\/)+vitest\.shared\.ts$/.test(own))
    return "leaves the package; import the other package by its name";
  if (posix.basename(own) === "index.ts" && !isTest(each.file))
    return "a package must not import its own index.ts; import the file";
  return undefined;
}

/** Returns the reason why `from` must not use `target`, if there is one. Packages on the floor `check` may use one another. */
function against(from: WorkspacePackage, target: WorkspacePackage): string | undefined {
  if (!from.floor || !target.floor || from === target) return undefined;
  const [own, other] = [floors.indexOf(from.floor), floors.indexOf(target.floor)];
  if (other < own || (from.floor === "check" && target.floor === "check")) return undefined;
  return `floor "${from.floor}" may import from ${floors.slice(0, own).join(", ") || "nothing"}, not from "${target.floor}"`;
}

function splitSpecifier(specifier: string): { readonly name: string; readonly subpath: string } {
  const parts = specifier.split("/");
  const length = specifier.startsWith("@") ? 2 : 1;
  const rest = parts.slice(length).join("/");
  return { name: parts.slice(0, length).join("/"), subpath: rest ? `./${rest}` : "." };
}

const isTest = (file: string): boolean => file.endsWith(".test.ts") || file.endsWith("vitest.config.ts");

const isOfDevelopment = (from: WorkspacePackage, file: string): boolean =>
  isTest(file) || isStart(from, file) || isTool(from, file);

/**
 * Reports whether a file belongs to a program that builds or measures an app, or that checks a package with third-party files. Such
 * programs are not installed.
 */
const isTool = ({ floor, folder }: WorkspacePackage, file: string): boolean =>
  (floor === "app" && file.startsWith(`${folder}/tools/`)) || file.startsWith(`${folder}/third-party/`);

/**
 * Reports whether a file runs an example on its own control plane. Like a test, such a file is not part of the example's
 * program.
 */
const isStart = ({ floor, folder }: WorkspacePackage, file: string): boolean =>
  floor === "check" && file === `${folder}/start.ts`;
