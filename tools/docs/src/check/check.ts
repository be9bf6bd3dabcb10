import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Finding } from "../site/finding.ts";
import type { Pages } from "../site/pages.ts";
import { linkOf } from "../site/sidebar.ts";
import { root } from "../workspace.ts";
import { browserPath, searched, visit } from "./browser.ts";
import { undocumentedExports, undocumentedFlags, undocumentedMetrics } from "./coverage.ts";
import { packedBytes } from "./packed.ts";

const mostPackedBytes = 4_000_000;
/** How many exports may have a signature and no sentence. It only goes down. */
const mostUndescribed = 415;

/** What the code has and no page tells. */
export function coverageOf({ all, exported }: Pages): readonly Finding[] {
  return [
    ...undocumentedExports(exported, all),
    ...undocumentedMetrics(root, all.get("docs/reference/metrics.md") ?? ""),
    ...undocumentedFlags(root, all.get("docs/reference/commands.md") ?? ""),
  ];
}

/** Looks at the built site, and prints what it looked at. @returns whether all is well */
export async function checkSite({ all, exported }: Pages, out: (line: string) => void): Promise<boolean> {
  const problems: string[] = [];
  const bytes = packedBytes();
  out(`packed: ${(bytes / 1e6).toFixed(2)} MB of ${mostPackedBytes / 1e6} MB`);
  if (bytes > mostPackedBytes) problems.push(`@kubewright/docs is ${bytes} bytes packed, ${mostPackedBytes} at most`);
  const undescribed = exported.filter(({ isDescribed }) => !isDescribed);
  out(`exports: ${exported.length}, each on its page; ${undescribed.length} with a signature alone`);
  if (undescribed.length > mostUndescribed)
    problems.push(
      `${undescribed.length} exports have no comment, ${mostUndescribed} at most; for instance ${undescribed
        .slice(-5)
        .map(({ name, file, line }) => `${name} (${file}:${line})`)
        .join(", ")}`,
    );
  problems.push(...(await inBrowser([...all.keys()].map(linkOf), out)));
  for (const problem of problems) out(problem);
  return problems.length === 0;
}

async function inBrowser(paths: readonly string[], out: (line: string) => void): Promise<readonly string[]> {
  const browser = browserPath(process.env);
  if (browser === undefined) {
    out(`skipped: ${paths.length} pages were not looked at: there is no Chromium here; KUBEWRIGHT_CHROMIUM names one`);
    return [];
  }
  return served(async (url) => {
    const problems = await visit(browser, url, paths);
    out(`browser: ${paths.length} pages`);
    const found = await searched(browser, url, "finalizer");
    out(`search: "finalizer" finds ${found.length}`);
    const isFound = found.some((path) => path.includes("finalizers"));
    return [
      ...problems.map(({ path, problem }) => `${path}: ${problem}`),
      ...(isFound ? [] : ["search does not find the page about finalizers"]),
    ];
  });
}

/** Runs something while `kubewright docs` serves the site, as a user would read it. */
async function served<T>(use: (url: string) => Promise<T>): Promise<T> {
  const bin = join(root, "packages/cli/bin/kubewright.mjs");
  const child = spawn(process.execPath, ["--conditions=@kubewright/source", bin, "docs", "--port", "0"], { cwd: root });
  const ready = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  let said = "";
  const keep = (text: Buffer): void => {
    said += text.toString();
    const [url] = /http:\/\/\S+/.exec(said) ?? [];
    if (url !== undefined) ready.resolve(url);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.once("error", ready.reject).once("exit", (code) => {
    ready.reject(new Error(`kubewright docs ended with ${code}: ${said}`));
    ended.resolve();
  });
  try {
    return await use(await ready.promise);
  } finally {
    child.kill();
    await ended.promise;
  }
}
