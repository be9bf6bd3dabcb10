import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";

/** Problem that a browser found on a page. */
export interface PageProblem {
  readonly path: string;
  readonly problem: string;
}

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Returns the path of the browser that checks the pages, or undefined if this machine has no such browser.
 *
 * @param places paths to search if `KUBEWRIGHT_CHROMIUM` is not set
 */
export function browserPath(
  env: Readonly<Record<string, string | undefined>>,
  places: readonly string[] = usual,
): string | undefined {
  const named = env.KUBEWRIGHT_CHROMIUM;
  if (named !== undefined && !existsSync(named)) throw new Error(`KUBEWRIGHT_CHROMIUM "${named}": no such file`);
  return named ?? places.find((path) => existsSync(path));
}

/** Number of pages that are checked at the same time. */
const atOnce = 3;

/** Starts a browser, calls `use` with it, then closes it. */
export async function inChromium<T>(executablePath: string, use: (browser: Browser) => Promise<T>): Promise<T> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run"];
  const browser = await chromium.launch({ executablePath, args });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

const sizes = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
] as const;

/**
 * Opens every page and collects console errors, failed requests, content that is cut off, and serious and critical
 * findings of axe. For axe, pages alternate between the widths of a desktop screen and a phone, and between light and
 * dark colours. axe checks only one in five of the generated pages.
 *
 * @param base URL at which the site is served
 */
export async function visit(browser: Browser, base: string, paths: readonly string[]): Promise<readonly PageProblem[]> {
  const left = paths.entries();
  const problems: (readonly PageProblem[])[] = [];
  const work = async (): Promise<void> => {
    const page = await browser.newPage({ reducedMotion: "reduce" });
    for (const [index, path] of left) problems[index] = await visitPage(page, base, path, index);
    await page.close();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return problems.flat();
}

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function visitPage(page: Page, base: string, path: string, index: number): Promise<readonly PageProblem[]> {
  const problems = new Set<string>();
  page.on("console", (message) => void (message.type() === "error" && problems.add(`console: ${message.text()}`)));
  page.on("pageerror", (error) => void problems.add(`threw: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${base}/`) && !/^(?:data|blob):/.test(request.url()))
      problems.add(`asks for ${request.url()}`);
  });
  try {
    await page.emulateMedia({ colorScheme: "light" });
    const answer = await page.goto(base + path, { waitUntil: "load" });
    if (answer?.status() !== 200) problems.add(`answered ${answer?.status()}`);
    for (const problem of await cutOff(page)) problems.add(problem);
    await page.setViewportSize(sizes[index % sizes.length] ?? sizes[0]);
    const isPrinted = /^\/(?:reference\/api|sdewan\/kinds)\//.test(path);
    if (isPrinted && index % printedShare !== 0) return asProblems(path, problems);
    await page.addScriptTag({ path: axe });
    const rules = isPrinted ? { rules: { "color-contrast": { enabled: false } } } : {};
    for (const problem of await findingsOfAxe(page, "document", rules)) problems.add(problem);
    await page.emulateMedia({ colorScheme: "dark" });
    const colours = isPrinted ? firstParts : "document";
    for (const problem of await findingsOfAxe(page, colours, { runOnly: ["color-contrast"] }))
      problems.add(`dark: ${problem}`);
  } catch (error) {
    problems.add(error instanceof Error ? error.message : String(error));
  } finally {
    page.removeAllListeners();
  }
  return asProblems(path, problems);
}

/** Finds blocks and tables that are cut off on a desktop screen, and content that is wider than a phone's screen. */
async function cutOff(page: Page): Promise<readonly string[]> {
  const [desktop, phone] = sizes;
  await page.setViewportSize(desktop);
  const cut = await page.evaluate<readonly string[]>(`[...document.querySelectorAll(".vp-doc :is(pre, table, td, th)")]
    .filter((each) => each.scrollWidth > each.clientWidth + 1
      || each.getBoundingClientRect().right > each.closest(".vp-doc").getBoundingClientRect().right + 1)
    .map((each) => each.localName + ": " + each.innerText.split("\\n").sort((a, b) => b.length - a.length)[0].slice(0, 120))`);
  await page.setViewportSize(phone);
  const over = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  return [
    ...cut.map((text) => `cut off at ${desktop.width} px: ${text}`),
    ...(over > 0 ? [`${over} px wider than the screen at ${phone.width} px`] : []),
  ];
}

const asProblems = (path: string, problems: ReadonlySet<string>): readonly PageProblem[] =>
  [...problems].map((problem) => ({ path, problem }));

/**
 * axe checks one out of this many generated pages, because they all share one template. The checked pages alternate
 * between the two widths.
 */
const printedShare = 5;

/**
 * Selector of the part of generated pages that axe checks. These pages repeat their markup a thousand times, and each
 * contrast check is slow.
 */
const firstParts = "{ include: ['.vp-doc > div > :nth-child(-n+40)'] }";

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** @param part part of the page to check, in the form that axe expects */
async function findingsOfAxe(page: Page, part: string, options: object): Promise<readonly string[]> {
  const all = JSON.stringify({ resultTypes: ["violations"], ...options });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${part}, ${all})`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `axe ${id}: ${help}: ${nodes.length} times, first ${nodes[0]?.html.slice(0, 160)}`);
}

/** Returns the address (without the server) that a browser reaches from `path`. */
export async function followed(browser: Browser, base: string, path: string): Promise<string> {
  const page = await browser.newPage();
  try {
    await page.goto(base + path, { waitUntil: "load" });
    await page.waitForFunction("document.querySelector('.VPContent') !== null", undefined, { timeout: 15_000 });
    return page.url().slice(base.length);
  } finally {
    await page.close();
  }
}

/** Types `words` into the search box of the home page and returns the pages that it offers. */
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
