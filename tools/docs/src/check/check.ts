import { spawn } from "node:child_process";
import { join } from "node:path";
import { consolesOf, isOnPath, runConsoles } from "../console/consoles.ts";
import { buildSite } from "../site/build.ts";
import { type Finding, textOf } from "../site/finding.ts";
import { collectPages, type Pages } from "../site/pages.ts";
import { linkOf } from "../site/sidebar.ts";
import { timed } from "../timed.ts";
import { built, root } from "../workspace.ts";
import { deadAnchors } from "./anchors.ts";
import { browserPath, followed, inChromium, searched, visit } from "./browser.ts";
import { undocumentedExports, undocumentedFlags, undocumentedMetrics } from "./coverage.ts";
import { packedBytes } from "./packed.ts";
import { indexOf, unfound } from "./search.ts";
import { byPackage, undescribedExports } from "./undescribed.ts";

const maxPackedBytes = 4_300_000;

/** Returns exports, metrics and flags that are not documented on any page. */
function coverageOf({ all, exported }: Pages): readonly Finding[] {
  const undescribed = undescribedExports(exported);
  return [
    ...undocumentedExports(exported, all),
    ...undocumentedMetrics(root, all.get("docs/reference/metrics.md") ?? ""),
    ...undocumentedFlags(root, all.get("docs/reference/commands.md") ?? ""),
    ...undescribed,
  ];
}

/**
 * Generates the pages, builds the site, runs the console blocks and checks every page, and prints how long each part took.
 *
 * @param lists true to only print the exports without a comment
 * @returns true if no problem was found
 */
export async function checkCommand(
  out: (line: string) => void,
  { lists }: { readonly lists: boolean },
): Promise<boolean> {
  const pages = await timed("pages", out, () => collectPages());
  const undescribed = undescribedExports(pages.exported);
  if (lists) for (const line of byPackage(undescribed)) out(line);
  out(`exports: ${pages.exported.length}; ${undescribed.length} declarations without a description`);
  if (lists) return undescribed.length === 0;
  const consoles = consolesOf(root, isOnPath);
  const early = [...pages.findings, ...coverageOf(pages), ...consoles.findings];
  for (const finding of early) out(textOf(finding));
  if (early.length > 0) return false;
  await timed("site", out, () => buildSite(pages.all));
  // The site must be built first, because the commands on one of the pages serve it.
  const [printed, seen] = await Promise.all([
    timed("consoles", out, () => runConsoles(consoles, out)),
    problemsOfSite(pages, out),
  ]);
  const problems = [...printed.map(textOf), ...deadAnchors(built), ...unfound(await indexOf(built)), ...seen];
  for (const problem of problems) out(problem);
  return problems.length === 0;
}

async function problemsOfSite({ all }: Pages, out: (line: string) => void): Promise<readonly string[]> {
  const bytes = await timed("packing", out, () => packedBytes());
  out(`packed: ${(bytes / 1e6).toFixed(2)} MB of ${maxPackedBytes / 1e6} MB`);
  const tooLarge =
    bytes > maxPackedBytes ? [`@kubewright/docs has ${bytes} bytes packed; the limit is ${maxPackedBytes}`] : [];
  return [...tooLarge, ...(await timed("browser", out, () => inBrowser([...all.keys()].map(linkOf), out)))];
}

async function inBrowser(paths: readonly string[], out: (line: string) => void): Promise<readonly string[]> {
  const browser = browserPath(process.env);
  if (browser === undefined) {
    out(
      `skipped: ${paths.length} pages were not checked because no Chromium was found; set KUBEWRIGHT_CHROMIUM to its path`,
    );
    return [];
  }
  return served(async (url) => {
    const [problems, found, place] = await inChromium(browser, async (opened) => [
      await visit(opened, url, paths),
      await searched(opened, url, "finalizer"),
      await followed(opened, url, "/guide/01-a-controller#run-the-program"),
    ]);
    out(`browser: ${paths.length} pages`);
    out(`search: "finalizer" finds ${found.length}`);
    const isFound = found.some((path) => path.includes("finalizers"));
    return [
      ...problems.map(({ path, problem }) => `${path}: ${problem}`),
      ...(isFound ? [] : ["the search does not find the page about finalizers"]),
      ...(place === "/guide/controllers#run-the-program" ? [] : [`the former address of a page leads to ${place}`]),
    ];
  });
}

/** Calls `use` while `kubewright docs` serves the site. */
export async function served<T>(use: (url: string) => Promise<T>): Promise<T> {
  const bin = join(root, "packages/cli/bin/kubewright.mjs");
  const child = spawn(process.execPath, ["--conditions=@kubewright/source", bin, "docs", "--port", "0"], { cwd: root });
  const ready = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  let output = "";
  const keep = (text: Buffer): void => {
    output += text.toString();
    const [url] = /http:\/\/\S+/.exec(output) ?? [];
    if (url !== undefined) ready.resolve(url);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.once("error", ready.reject).once("exit", (code) => {
    ready.reject(new Error(`kubewright docs ended with ${code}: ${output}`));
    ended.resolve();
  });
  try {
    return await use(await ready.promise);
  } finally {
    child.kill();
    await ended.promise;
  }
}
