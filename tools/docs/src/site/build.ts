import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { built, root, stage } from "../workspace.ts";
import { withoutWaysOut } from "./links.ts";
import { sidebarsOf } from "./sidebar.ts";

/** Has VitePress build the pages into `@kubewright/docs`. @throws what it says, dead links among it */
export async function buildSite(pages: ReadonlyMap<string, string>): Promise<void> {
  rmSync(stage, { recursive: true, force: true });
  for (const file of pages.keys()) write(join(stage, file.replace(/^docs\//, "")), withoutWaysOut(root, pages, file));
  const config = {
    title: "Kubewright",
    description: "Kubernetes controllers in TypeScript",
    lang: "en",
    outDir: built,
    cleanUrls: true,
    ignoreDeadLinks: false,
    lastUpdated: false,
    head: [["link", { rel: "icon", href: "data:," }]],
    markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
    themeConfig: {
      // What is read of the button to those who do not see it begins with what it shows.
      search: {
        provider: "local",
        options: { translations: { button: { buttonText: "Search", buttonAriaLabel: "Search" } } },
      },
      outline: [2, 3],
      nav: [
        { text: "Start", link: "/start/ten-minutes", activeMatch: "^/(start|tutorial)/" },
        { text: "Guide", link: "/guide/01-a-controller", activeMatch: "^/guide/" },
        { text: "SD-EWAN", link: "/sdewan/", activeMatch: "^/sdewan/" },
        { text: "Reference", link: "/reference/api", activeMatch: "^/reference/" },
        { text: "Why", link: "/adr/0001-package-graph", activeMatch: "^/adr/" },
      ],
      sidebar: sidebarsOf(pages),
    },
  };
  write(join(stage, ".vitepress/config.mjs"), `export default ${JSON.stringify(config)};\n`);
  cpSync(join(root, "tools/docs/theme"), join(stage, ".vitepress/theme"), { recursive: true });
  rmSync(built, { recursive: true, force: true });
  await build(stage);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
