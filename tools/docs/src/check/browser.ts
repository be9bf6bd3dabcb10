import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";

/** What a browser found on a page. */
export interface PageProblem {
  readonly path: string;
  readonly problem: string;
}

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * The browser that looks at the pages; undefined where there is none.
 *
 * @param places where one is looked for if `KUBEWRIGHT_CHROMIUM` names none
 */
export function browserPath(
  env: Readonly<Record<string, string | undefined>>,
  places: readonly string[] = usual,
): string | undefined {
  const named = env.KUBEWRIGHT_CHROMIUM;
  if (named !== undefined && !existsSync(named))
    throw new Error(`KUBEWRIGHT_CHROMIUM "${named}": there is no such file`);
  return named ?? places.find((path) => existsSync(path));
}

/** How many pages are looked at at once. */
const atOnce = 4;

/** Runs something with a browser that ends with it. */
export async function inChromium<T>(executablePath: string, use: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/**
 * Opens every page and gathers what its console, its requests and axe have against it; axe's serious and critical findings only. Each page is
 * looked at light and dark, and every other one as narrow as a telephone.
 *
 * @param base where the site is served
 */
export async function visit(browser: Browser, base: string, paths: readonly string[]): Promise<readonly PageProblem[]> {
  const left = paths.entries();
  const problems: (readonly PageProblem[])[] = [];
  const work = async (): Promise<void> => {
    for (const [index, path] of left)
      problems[index] = await visitPage(browser, base, path, sizes[index % sizes.length]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return problems.flat();
}

const sizes = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
] as const;

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function visitPage(
  browser: Browser,
  base: string,
  path: string,
  viewport: (typeof sizes)[number] = sizes[0],
): Promise<readonly PageProblem[]> {
  const page = await browser.newPage({ viewport, colorScheme: "light", reducedMotion: "reduce" });
  const problems = new Set<string>();
  page.on("console", (message) => void (message.type() === "error" && problems.add(`console: ${message.text()}`)));
  page.on("pageerror", (error) => void problems.add(`threw: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${base}/`) && !/^(?:data|blob):/.test(request.url()))
      problems.add(`asks for ${request.url()}`);
  });
  try {
    const answer = await page.goto(base + path, { waitUntil: "load" });
    if (answer?.status() !== 200) problems.add(`answered ${answer?.status()}`);
    await page.addScriptTag({ path: axe });
    for (const problem of await findingsOfAxe(page)) problems.add(problem);
    await page.emulateMedia({ colorScheme: "dark" });
    for (const problem of await findingsOfAxe(page, ["color-contrast"])) problems.add(`dark: ${problem}`);
  } catch (error) {
    problems.add(error instanceof Error ? error.message : String(error));
  } finally {
    await page.close();
  }
  return [...problems].map((problem) => ({ path, problem }));
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** @param rules those to ask; all without */
async function findingsOfAxe(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `axe ${id}: ${help}: ${nodes.length} times, first ${nodes[0]?.html.slice(0, 160)}`);
}

/** Types into the search of the first page and answers the pages that it offers. */
export async function searched(browser: Browser, base: string, words: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    await page.goto(`${base}/`, { waitUntil: "load" });
    await page.locator("#local-search button").first().click();
    await page.locator("#localsearch-input").fill(words);
    const links = page.locator("#localsearch-list a");
    await links.first().waitFor({ timeout: 15_000 });
    return await links.evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
  } finally {
    await page.close();
  }
}
