import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
/** Reports at the end what an attack through an unguarded assignment could have done. */
const witness = `process.on("exit", () => {
  const victim = {};
  victim["__proto__"] = { polluted: true };
  try { Object.prototype.polluted = true; } catch {}
  console.error(JSON.stringify({ extensible: Object.isExtensible(Object.prototype), inherits: ({}).polluted, polluted: victim.polluted }));
})`;

it.each([
  ["packages/cli/src/programs/etcd.ts", "--version"],
  ["packages/cli/src/programs/kube-apiserver.ts", "--version"],
  ["packages/cli/bin/kubewright.mjs", "--version"],
  ["apps/sdewan-operator/src/main.ts", "--help"],
  ["apps/sdewan-operator/demo/main.ts", "--help"],
])(
  "%s protects the prototypes of all objects in its process",
  async (program, argument) => {
    const options = [
      "--conditions=@kubewright/source",
      "--import",
      `data:text/javascript,${encodeURIComponent(witness)}`,
    ];
    const { stderr } = await run(process.execPath, [...options, program, argument], { cwd: root, timeout: 30_000 });
    expect(JSON.parse(stderr.trim().split("\n").at(-1) ?? "")).toEqual({ extensible: false });
  },
  40_000,
);
