import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface Locked {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
}

const lockfile = readFileSync(join(import.meta.dirname, "../../../package-lock.json"), "utf8");
const { packages } = JSON.parse(lockfile) as { readonly packages: Readonly<Record<string, Locked>> };
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);

it("holds the digest of every package, those of other platforms included, and no download host", () => {
  expect(installed.length).toBeGreaterThan(400);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
