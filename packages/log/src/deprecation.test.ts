import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const module = fileURLToPath(new URL("./deprecation.ts", import.meta.url));
const program = `
  import { warnDeprecated } from ${JSON.stringify(module)};
  for (const name of ["cachedKind", "cachedKind", "PushStore"]) warnDeprecated(name, name === "PushStore" ? "UndeltaStore" : "byObject");
`;
const run = (...flags: string[]) => {
  const words = [...flags, "--input-type=module", "--eval", program];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env: {} });
  const warnings = stderr.split("\n").flatMap((line) => /\[KUBEWRIGHT_DEPRECATED\] (.*)$/.exec(line)?.[1] ?? []);
  return { status, warnings };
};

it("reports each deprecated name once, with its replacement", () => {
  expect(run()).toEqual({
    status: 0,
    warnings: [
      "DeprecationWarning: cachedKind is deprecated; use byObject instead, or run npx kubewright upgrade",
      "DeprecationWarning: PushStore is deprecated; use UndeltaStore instead, or run npx kubewright upgrade",
    ],
  });
});

it("obeys Node's flags for deprecations", () => {
  expect(run("--no-deprecation")).toEqual({ status: 0, warnings: [] });
  expect(run("--throw-deprecation").status).toBe(1);
});
