import { checkSite, coverageOf } from "./check/check.ts";
import { buildSite } from "./site/build.ts";
import { textOf } from "./site/finding.ts";
import { collectPages } from "./site/pages.ts";

const [command = "build"] = process.argv.slice(2);
if (command !== "build" && command !== "check") {
  process.stderr.write(`"${command}": must be build or check\n`);
  process.exitCode = 2;
} else {
  const pages = await collectPages();
  const findings = command === "check" ? [...pages.findings, ...coverageOf(pages)] : pages.findings;
  for (const finding of findings) process.stderr.write(`${textOf(finding)}\n`);
  if (findings.length > 0) process.exitCode = 1;
  else {
    await buildSite(pages.all);
    const isWell = command === "build" || (await checkSite(pages, (line) => void process.stdout.write(`${line}\n`)));
    process.exitCode = isWell ? 0 : 1;
  }
}
