import { checkCommand } from "./check/check.ts";
import { buildSite } from "./site/build.ts";
import { textOf } from "./site/finding.ts";
import { collectPages } from "./site/pages.ts";
import { timed } from "./timed.ts";

const usage = `npm run docs        build the site
npm run docs:check  check the pages; after "--", --list-undescribed lists the names without a description`;

const out = (line: string): void => void process.stdout.write(`${line}\n`);
const words = process.argv.slice(2).join(" ");
if (words === "--help" || words === "-h") out(usage);
else if (words === "" || words === "build") process.exitCode = await build();
else if (words === "check" || words === "check --list-undescribed")
  process.exitCode = (await checkCommand(out, { lists: words !== "check" })) ? 0 : 1;
else {
  process.stderr.write(`"${words}": expected build, check, or check --list-undescribed\n\n${usage}\n`);
  process.exitCode = 2;
}

async function build(): Promise<number> {
  const pages = await timed("pages", out, () => collectPages());
  for (const finding of pages.findings) process.stderr.write(`${textOf(finding)}\n`);
  if (pages.findings.length > 0) return 1;
  await timed("site", out, () => buildSite(pages.all));
  return 0;
}
