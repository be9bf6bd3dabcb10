import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { filesOf, type Part, parts, versions } from "./parts.ts";

const usage = `Usage: npm run test:versions [-- [--only VERSION]... [--part PART]... [--list]]

Builds kube-apiserver in several versions, and runs the tests that need an API server against each of them. Requires Go.

  --only VERSION   version of kube-apiserver (default: ${versions.join(", ")})
  --part PART      part of the tests (default: all)
  --list           print the parts and their number of test files, and run nothing
  --help           print this text

Parts: ${parts.map(({ name }) => name).join(", ")}`;

/** Root of the repository, where `npm run` starts this program. */
const root = process.cwd();

/** Content of `test-results.json`, which the reporter in `vitest.shared.ts` writes. */
interface Results {
  readonly passed: number;
  readonly skipped: readonly { readonly name: string }[];
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

/** Results of a part on one version. */
interface Row extends Results {
  readonly version: string;
  readonly part: string;
  readonly seconds: number;
}

function readArguments(args: readonly string[]) {
  const option = { type: "string", multiple: true } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ args: [...args], options: { only: option, part: option, list: flag, help: flag } });
  const chosen = (values.part ?? []).map((name): Part => {
    const found = parts.find((part) => part.name === name);
    if (!found) throw new Error(`--part ${name}: must be one of ${parts.map((part) => part.name).join(", ")}`);
    return found;
  });
  for (const version of values.only ?? [])
    if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`--only ${version}: must be a version such as 1.30.14`);
  return { ...values, versions: values.only ?? versions, parts: chosen.length > 0 ? chosen : parts };
}

/** Builds a version and returns the folder with its programs. @throws {Error} if the build fails */
function build(version: string): string {
  const program = join(root, "tools", "kube-apiserver", "src", "main.ts");
  const { stdout } = spawnSync(process.execPath, [program, "--kubernetes", version], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [, assets] = /^export KUBEBUILDER_ASSETS=(.*)$/m.exec(stdout) ?? [];
  if (!assets) throw new Error(`kube-apiserver ${version} was not built`);
  return assets;
}

/** Runs test files of one package, and returns their results. */
function runFiles(assets: string, folder: string, files: readonly string[], tests = ""): Results {
  const cwd = join(root, folder);
  const report = join(cwd, "test-results.json");
  rmSync(report, { force: true });
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [
    "run",
    "--config",
    join(root, "vitest.shared.ts"),
    ...files.map((file) => join(cwd, file)),
    ...(tests === "" ? [] : ["-t", tests]),
  ];
  const { stdout } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    env: { ...process.env, KUBEBUILDER_ASSETS: assets },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"], // failures are in the report
  });
  const results: Results | undefined = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
  if (!results || results.passed + results.failed.length + results.skipped.length === 0)
    return { passed: 0, skipped: [], failed: [{ name: folder, message: `no results: ${stdout.slice(-2_000)}` }] };
  return { ...results, skipped: results.skipped.filter(({ name }) => name.includes(tests)) };
}

function runPart(version: string, assets: string, part: Part): Row {
  const start = performance.now();
  const all = [...filesOf(root, part)].map(([folder, files]) => runFiles(assets, folder, files, part.tests));
  return {
    version,
    part: part.name,
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    skipped: all.flatMap(({ skipped }) => skipped),
    failed: all.flatMap(({ failed }) => failed),
    seconds: Math.round((performance.now() - start) / 1_000),
  };
}

const line = (...cells: readonly (string | number)[]): string =>
  cells.map((cell, i) => (i < 2 ? String(cell).padEnd(20) : String(cell).padStart(9))).join("");

function main(args: readonly string[]): number {
  const options = readArguments(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  if (options.list) {
    for (const part of options.parts)
      for (const [folder, files] of filesOf(root, part))
        console.log(`${line(part.name, folder)} ${files.length} files`);
    return 0;
  }
  console.log(line("version", "part", "passed", "failed", "skipped", "seconds"));
  const rows: Row[] = [];
  for (const version of options.versions) {
    const assets = build(version);
    for (const part of options.parts) {
      const row = runPart(version, assets, part);
      rows.push(row);
      console.log(line(version, row.part, row.passed, row.failed.length, row.skipped.length, row.seconds));
      for (const { name, message } of row.failed)
        console.log(`failed: ${name}\n    ${message.split("\n").slice(0, 12).join("\n    ")}`);
    }
  }
  for (const test of new Set(rows.flatMap(({ part, skipped }) => skipped.map(({ name }) => `${part}: ${name}`)))) {
    const where = rows.filter(({ part, skipped }) => skipped.some(({ name }) => `${part}: ${name}` === test));
    console.log(`not run on ${where.map(({ version }) => version).join(", ")}: ${test}`);
  }
  return rows.some(({ failed }) => failed.length > 0) ? 1 : 0;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${usage}`);
  process.exitCode = 2;
}
