import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../workspace.ts";

/** Returns the packed size of `@kubewright/docs` in bytes. */
export function packedBytes(): number {
  const { stdout, status, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: join(root, "packages/docs"),
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(`npm pack: ${stderr}`);
  const answer: unknown = JSON.parse(stdout);
  const [first] = Array.isArray(answer) ? answer : Object.values(Object(answer));
  const size: unknown = Object(first).size;
  if (typeof size !== "number") throw new Error(`npm pack printed no size: ${stdout.slice(0, 200)}`);
  return size;
}
