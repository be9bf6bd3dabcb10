import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");
const untidy = {
  environment: 'process.env.LEFT = "1";',
  folder: 'process.chdir("..");',
  listener: 'process.on("SIGHUP", () => {});',
  global: "globalThis.left = 1;",
  fetch: "globalThis.fetch = async () => new Response();",
  prototype: 'Object.defineProperty(Promise.prototype, "left", { value: 1 });',
  server: 'await new Promise((resolve) => require("node:net").createServer().listen(0, "127.0.0.1", resolve));',
};
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "left-behind-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const config = { test: { isolate: false, setupFiles: [join(root, "vitest.setup.ts")], include: ["*.test.mjs"] } };
  writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)};`);
  const head =
    'import { createRequire } from "node:module"; import { it } from "vitest"; const require = createRequire(import.meta.url);';
  for (const [name, line] of Object.entries({ ...untidy, nothing: "" }))
    writeFileSync(join(folder, `${name}.test.mjs`), `${head}\nit("passes", async () => { ${line} });\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("fails and names each file that leaves something behind, and no other file", { timeout: 120_000 }, async () => {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const output = join(folder, "results.json");
  const words = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--maxWorkers=1", "--reporter=json"];
  await promisify(execFile)(process.execPath, [...words, `--outputFile=${output}`], {
    cwd: folder,
    env: Object.fromEntries(env),
  }).catch(() => {}); // expected to fail
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as {
    readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[];
  };
  const found = Object.fromEntries(
    testResults.map(({ name, status, message }) => [
      name.slice(folder.length + 1, -".test.mjs".length),
      status === "failed" ? message : "",
    ]),
  );
  expect(found).toEqual({
    environment: expect.stringContaining("leaves behind: environment variable LEFT;"),
    folder: expect.stringContaining("leaves behind: the working directory;"),
    listener: expect.stringContaining('leaves behind: listeners to "SIGHUP" of process;'),
    global: expect.stringContaining("leaves behind: globalThis.left;"),
    fetch: expect.stringContaining("leaves behind: globalThis.fetch;"),
    prototype: expect.stringContaining("leaves behind: Promise.prototype.left;"),
    server: expect.stringContaining("leaves behind: an open TCPServerWrap;"),
    nothing: "",
  });
});
