import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { Application, Converter, TSConfigReader, TypeDocReader } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import type ts from "typescript";
import { type Entry, root } from "../workspace.ts";

/**
 * Writes the reference of the packages' public entries into a folder, one page for each.
 *
 * @returns the TypeScript program, because reading it again is slow
 * @throws {Error} if a source cannot be read, with TypeDoc's message
 */
export async function writeApi(entries: readonly Entry[], folder: string): Promise<ts.Program> {
  const config = join(root, "tools/docs/.tsconfig.api.json");
  const include = entries.map(({ file }) => join("../..", file));
  writeFileSync(config, JSON.stringify({ extends: "../../tsconfig.base.json", include }));
  const program = await convert(entries, folder, config).finally(() => rmSync(config, { force: true }));
  for (const entry of entries) {
    const path = join(folder, `${entry.page}.md`);
    const text = readFileSync(path, "utf8").replace(/^# .*$/m, `# ${entry.specifier}`);
    writeFileSync(path, withoutTemplates(shortened(text)));
  }
  return program;
}

async function convert(entries: readonly Entry[], folder: string, tsconfig: string): Promise<ts.Program> {
  const markdown: Partial<PluginOptions> = {
    hidePageHeader: true,
    hideBreadcrumbs: true,
    // Otherwise the links would not match, because VitePress counts headings of the same name differently.
    useCustomAnchors: true,
    expandParameters: true,
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    classPropertiesFormat: "table",
    enumMembersFormat: "table",
    typeDeclarationFormat: "table",
    propertyMembersFormat: "table",
  };
  const app = await Application.bootstrapWithPlugins(
    {
      ...markdown,
      entryPoints: entries.map(({ file }) => join(root, file)),
      entryPointStrategy: "resolve",
      tsconfig,
      plugin: [createRequire(import.meta.url).resolve("typedoc-plugin-markdown")],
      router: "module",
      out: folder,
      readme: "none",
      name: "API",
      skipErrorChecking: true,
      excludePrivate: true,
      excludeInternal: true,
      excludeExternals: true,
      disableSources: true,
      disableGit: true,
      logLevel: "Error",
    },
    [new TypeDocReader(), new TSConfigReader()],
  );
  const programs: ts.Program[] = [];
  app.converter.on(Converter.EVENT_BEGIN, (context) => void programs.push(...context.programs));
  const project = await app.convert();
  const [program] = programs;
  if (!project || !program) throw new Error("TypeDoc could not read the packages: see above");
  const names = new Map(entries.map(({ file, page }) => [moduleNameOf(file), page]));
  for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
  // The first page or type that requests a name gets it. Otherwise, a type `Kinds` in `client` would take the name of
  // the page `client/kinds`.
  project.childrenIncludingDocuments?.sort((a, b) => depthOf(b.name) - depthOf(a.name));
  mkdirSync(folder, { recursive: true });
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error("TypeDoc could not write the reference: see above");
  return program;
}

const depthOf = (page: string): number => page.split("/").length;

/** Returns TypeDoc's name for the module of a file, which omits the common prefix of all paths. */
const moduleNameOf = (file: string): string =>
  relative("packages", file)
    .replaceAll("\\", "/")
    .replace(/(\/index)?\.ts$/, "");

/** Removes results that the signature above already shows, and turns the headings about inheritance into text. */
export const shortened = (text: string): string =>
  text
    .replace(/^#{4,6} Returns\n\n.+\n\n?(?=#{1,6} |\*\*\*|$(?!\n))/gm, "")
    .replace(/^#{4,6} (Inherited from|Overrides|Implementation of)\n\n(?=.+\n)/gm, "$1 ");

/** Escapes text that Vue would interpret as a template. */
const withoutTemplates = (text: string): string => text.replaceAll("{{", "&#123;&#123;");

/** Returns the paths of the pages below a folder, relative to it. */
export const pagesUnder = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md"))
    .sort();
