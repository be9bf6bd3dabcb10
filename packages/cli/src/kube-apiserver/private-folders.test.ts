import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const needs = { meta: { needs: "a POSIX system" } };

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "private-folders-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the modes of all files in a folder, keyed by path. */
function modesIn(path: string): Record<string, string> {
  const modes: Record<string, string> = {};
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name);
    modes[name.slice(path.length + 1)] = (statSync(name).mode & 0o777).toString(8);
  }
  return modes;
}

it.skipIf(process.platform === "win32")(
  "folders and keys are their owner's alone, whatever the umask lets through",
  needs,
  () => {
    const module = JSON.stringify(join(import.meta.dirname, "serving-certificate.ts"));
    const script = `import { certificateFolder } from ${module}; import { ApiServer } from "@kubewright/kube-apiserver";
    process.umask(0); const [folder] = process.argv.slice(1);
    certificateFolder(folder + "/a/pki", ["localhost"]);
    const server = await ApiServer.start({ storage: { type: "journal", directory: folder + "/b/journal" },
      identityDirectory: folder + "/c/pki" });
    await server.stop();`;
    execFileSync(process.execPath, ["--conditions=@kubewright/source", "--input-type=module", "-e", script, folder], {
      cwd: import.meta.dirname,
    });
    const modes = modesIn(folder);
    for (const name of ["a", "a/pki", "b", "b/journal", "c", "c/pki"]) expect(modes[name], name).toBe("700");
    const files = Object.entries(modes).filter(([, mode]) => mode !== "700");
    for (const [name, mode] of files) expect(mode, name).toBe(name.endsWith(".crt") ? "644" : "600");
    expect(files.length).toBeGreaterThan(4);
  },
);
