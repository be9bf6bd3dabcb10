import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "vitepress";
import { digestOf, filesOf, kept } from "../kept.ts";
import { built, keptIn, root, stage } from "../workspace.ts";
import { redirects, withoutWaysOut } from "./links.ts";
import { sidebarsOf } from "./sidebar.ts";

const settings = "tools/docs/src/site/reproducible.ts";

/**
 * Builds the pages with VitePress into `@kubewright/docs`, unless the site there was built from the same pages.
 *
 * @returns true if this call has built the site
 * @throws VitePress's errors, for example about dead links
 */
export async function buildSite(pages: ReadonlyMap<string, string>): Promise<boolean> {
  const staged = stagedFiles(pages);
  const key = digestOf(new Map([...staged, ...filesOf(root, [settings, "package-lock.json"])]));
  const { isNew } = await kept(
    join(keptIn, "site.json"),
    key,
    () => write(staged),
    (digest) => digest === digestOfSite(),
  );
  return isNew;
}

const digestOfSite = (): string => digestOf(filesOf(built, ["**/*"]));

async function write(staged: ReadonlyMap<string, string | Buffer>): Promise<string> {
  rmSync(stage, { recursive: true, force: true });
  for (const [file, text] of staged) {
    const path = join(stage, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  rmSync(built, { recursive: true, force: true });
  await build(stage);
  return digestOfSite();
}

/** Returns the files that VitePress reads, keyed by path in the stage. */
function stagedFiles(pages: ReadonlyMap<string, string>): ReadonlyMap<string, string | Buffer> {
  const files = new Map<string, string | Buffer>();
  for (const file of pages.keys()) files.set(file.replace(/^docs\//, ""), withoutWaysOut(root, pages, file));
  for (const [file, text] of filesOf(join(root, "tools/docs/theme"), ["**/*"]))
    files.set(`.vitepress/theme/${file}`, text);
  for (const [file, text] of redirects(pages)) files.set(`public/${file}`, text);
  return files.set(".vitepress/config.mjs", configText(pages));
}

function configText(pages: ReadonlyMap<string, string>): string {
  const config = {
    title: "Kubewright",
    description: "Kubernetes controllers in TypeScript",
    lang: "en",
    outDir: relative(stage, built).replaceAll("\\", "/"),
    cleanUrls: true,
    ignoreDeadLinks: false,
    lastUpdated: false,
    head: [["link", { rel: "icon", href: "data:," }]],
    markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
    themeConfig: {
      // The accessible name of the button must begin with its visible text.
      search: {
        provider: "local",
        options: { translations: { button: { buttonText: "Search", buttonAriaLabel: "Search" } } },
      },
      outline: [2, 3],
      nav: [
        { text: "Get started", link: "/start/get-started", activeMatch: "^/start/" },
        { text: "Tutorial", link: "/tutorial/cronjob", activeMatch: "^/tutorial/" },
        { text: "Guide", link: "/guide/controllers", activeMatch: "^/(guide|plane)/" },
        { text: "Examples", link: "/examples/", activeMatch: "^/examples/" },
        { text: "Reference", link: "/reference/api", activeMatch: "^/reference/" },
        { text: "SD-EWAN", link: "/sdewan/", activeMatch: "^/sdewan/" },
        { text: "Contributing", link: "/contributing/", activeMatch: "^/(contributing|adr)/" },
      ],
      sidebar: sidebarsOf(pages),
    },
  };
  // The name is not a literal. Otherwise, Vite would bundle the file, but Node must read it.
  const from = relative(join(stage, ".vitepress"), join(root, settings)).replaceAll("\\", "/");
  return `const from = new URL("${from}", import.meta.url).href;
const { reproducible, searchableHtml } = await import(from);
const site = ${JSON.stringify(config)};
site.themeConfig.search.options._render = searchableHtml;

export default { ...site, ...reproducible, markdown: { ...site.markdown, ...reproducible.markdown } };
`;
}
