/** Setup file that runs in the process of one test file and records the regions that its tests reach. */
import { writeFileSync } from "node:fs";
import { afterAll } from "vitest";

afterAll(() => {
  const { reachedRegions = {} } = globalThis as { reachedRegions?: Readonly<Record<string, Uint8Array>> };
  const reached = Object.entries(reachedRegions).map(([path, digits]) => [path, digits.join("")]);
  writeFileSync(process.env.MUTANTS_REACHED ?? "", JSON.stringify(Object.fromEntries(reached)));
});
