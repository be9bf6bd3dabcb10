import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };

const bin = fileURLToPath(new URL("../bin/kubewright.mjs", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-bin-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, ...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], { cwd: folder, encoding: "utf8" });

it("runs the command of the package next to it", () => {
  const { status, stdout, stderr } = run(bin, "--version");
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

it("prefers the project's own package, and passes arguments to it", () => {
  const cli = join(folder, "node_modules", "@kubewright", "cli");
  mkdirSync(join(cli, "bin"), { recursive: true });
  writeFileSync(join(cli, "package.json"), JSON.stringify({ name: "@kubewright/cli", version: "9.9.9" }));
  writeFileSync(
    join(cli, "bin", "kubewright.mjs"),
    "console.log(process.argv.slice(2).join());\nprocess.exitCode = 7;\n",
  );
  expect(run(bin, "controlplane", "--help")).toMatchObject({ status: 7, stdout: "controlplane,--help\n" });
});

it("prints how to install the command if it is missing", () => {
  const alone = join(folder, "kubewright.mjs");
  cpSync(bin, alone);
  expect(run(alone, "controlplane")).toMatchObject({
    status: 1,
    stdout: "",
    stderr:
      "the kubewright command needs the package @kubewright/cli, which is not installed; run npm install --save-dev @kubewright/cli, or, without a project, npx @kubewright/cli\n",
  });
});

/** Copies the command to a folder such as npx uses, with an npm that installs the given command, or fails. */
function fetchedByNpx(installed: string | undefined): { program: string; npm: string } {
  const own = join(folder, "_npx", "1", "node_modules", "kubewright");
  for (const part of ["bin", "dist"]) mkdirSync(join(own, part), { recursive: true });
  writeFileSync(join(own, "package.json"), JSON.stringify({ name: "kubewright", version: "7.8.9", type: "module" }));
  writeFileSync(join(own, "dist", "node-version.js"), "");
  cpSync(bin, join(own, "bin", "kubewright.mjs"));
  const npm = join(folder, "npm-cli.cjs");
  const modules = join(folder, "_npx", "2", "node_modules");
  const cli = join(modules, "@kubewright", "cli");
  mkdirSync(join(cli, "bin"), { recursive: true });
  writeFileSync(join(cli, "package.json"), "{}");
  writeFileSync(join(cli, "bin", "kubewright.mjs"), String(installed));
  const path = [join(folder, "other"), join(modules, ".bin")].join(delimiter);
  writeFileSync(
    npm,
    installed === undefined
      ? `console.error("npm error offline"); process.exit(1);`
      : `console.error(process.argv.slice(2).join(" ")); console.log(${JSON.stringify(path)});`,
  );
  return { program: join(own, "bin", "kubewright.mjs"), npm };
}

const runWithNpm = ({ program, npm }: { program: string; npm: string }, ...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, npm_execpath: npm },
  });

it("lets npm fetch the same version of the command, if npx fetched this package", () => {
  const fetched = fetchedByNpx("console.log(process.argv.slice(2).join());");
  expect(runWithNpm(fetched, "envtest-assets", "--help")).toMatchObject({
    status: 0,
    stdout: "envtest-assets,--help\n",
    stderr: "exec --yes --package=@kubewright/cli@7.8.9 -- node -p process.env.PATH\n",
  });
});

it("prints how to install the command if npm cannot fetch it", () => {
  expect(runWithNpm(fetchedByNpx(undefined))).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(/^npm error offline\nthe kubewright command needs .* npx @kubewright\/cli\n$/),
  });
});

it("fetches nothing for a project that does not depend on the command", () => {
  const { npm } = fetchedByNpx("");
  const alone = join(folder, "kubewright.mjs");
  cpSync(bin, alone);
  expect(runWithNpm({ program: alone, npm })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^the kubewright command needs/),
  });
});
