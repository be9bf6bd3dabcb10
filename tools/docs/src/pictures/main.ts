import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { browserPath } from "../check/browser.ts";
import { served } from "../check/check.ts";
import { built, root } from "../workspace.ts";
import { screensOf } from "./console-screens.ts";
import { Demo } from "./demo.ts";
import { packed } from "./png.ts";

const usage = `npm run screenshots [-- options]

Takes screenshots of the console of the program that npm start runs, and, after npm run docs, of the documentation's home page.

  --out <folder>  folder for the images (default: docs/images)
  --only <parts>  console, docs, or both (default: console,docs)`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    out: { type: "string", default: join(root, "docs/images") },
    only: { type: "string", default: "console,docs" },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const out = resolve(values.out);
const only = values.only.split(",");
const viewport = { width: 1280, height: 800 };
const schemes = ["light", "dark"] as const;
const maxBytes = 200 * 1_024;
const patience = { timeout: 60_000 };

async function take(page: Page, name: string): Promise<void> {
  const png = packed(await page.screenshot({ animations: "disabled", caret: "hide" }));
  if (png.length > maxBytes) throw new Error(`${name}.png: has ${png.length} bytes; the limit is ${maxBytes}`);
  writeFileSync(join(out, `${name}.png`), png);
  process.stdout.write(`  ${name}.png  ${Math.ceil(png.length / 1_024)} KB\n`);
}

async function consolePictures(browser: Browser): Promise<void> {
  await using demo = new Demo();
  const url = await demo.consoleUrl;
  const first = await browser.newContext({ viewport });
  const page = await first.newPage();
  await page.goto(url);
  await page.getByRole("status").getByText("live").waitFor(patience);
  const { origin } = new URL(url);
  const screens = await screensOf(page, origin);
  const storageState = await first.storageState(); // the address works only once
  await first.close();
  for (const colorScheme of schemes) {
    const options: BrowserContextOptions = { viewport, colorScheme, storageState, reducedMotion: "reduce" };
    const context = await browser.newContext(options);
    for (const { name, hash, shows } of screens) {
      const shown = await context.newPage();
      await shown.goto(`${origin}/${hash}`);
      await shown.locator(shows).first().waitFor(patience);
      await shown.getByRole("status").getByText("live").waitFor(patience);
      await take(shown, `${name}-${colorScheme}`);
      await shown.close();
    }
    await context.close();
  }
}

async function docsPictures(browser: Browser): Promise<void> {
  if (!existsSync(join(built, "index.html"))) throw new Error("the documentation is not built; run npm run docs");
  await served(async (url) => {
    for (const colorScheme of schemes) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
      await page.goto(url);
      await page.getByRole("heading", { level: 1 }).first().waitFor(patience);
      await take(page, `docs-${colorScheme}`);
      await page.close();
    }
  });
}

const executablePath = browserPath(process.env);
if (executablePath === undefined) throw new Error("no Chromium found; set KUBEWRIGHT_CHROMIUM to its path");
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  if (only.includes("console")) await consolePictures(browser);
  if (only.includes("docs")) await docsPictures(browser);
} finally {
  await browser.close();
}
