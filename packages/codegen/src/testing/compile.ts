import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const require = createRequire(import.meta.url);

/** Compiles files, which are keyed by name. Returns the compiler's errors, or an empty string if there are none. */
export function compile(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-codegen-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const kinds = join(root, "packages", "client", "src", "kinds", "index.ts");
    const paths = {
      kubewright: [join(root, "packages", "apimachinery", "src", "index.ts")],
      "kubewright/kinds": [kinds],
      "@kubewright/client/kinds": [kinds],
      "@kubernetes/client-node/*": [join(root, "node_modules", "@kubernetes", "client-node", "*")],
      typebox: [join(root, "node_modules", "typebox", "build", "index.d.mts")],
    };
    const compilerOptions = { paths, types: ["node"], typeRoots: [join(root, "node_modules", "@types")] };
    const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include: [`${folder}/*.ts`] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
    execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    const failure = error as { readonly stdout?: string; readonly stderr?: string };
    return `${failure.stdout ?? ""}${failure.stderr ?? ""}` || String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
