import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ResultsReporter } from "./tools/test-report/src/results.ts";

/** The seed of the order of files, as CI sets it and prints it; without one, the order is that of their names. */
const seed = process.env.TEST_SEED;

// Tests start the project's programs hundreds of times. With this cache, Node.js compiles their modules only once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/** Starts with the file that takes as long as all others together, so that the others run at the same time. */
class UpgradeFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): string =>
      createHash("sha256")
        .update(`${seed} ${relative(import.meta.dirname, moduleId)}`)
        .digest("hex");
    const sorted = seed ? [...files].sort((a, b) => (place(a) < place(b) ? -1 : 1)) : await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith("/deploy/upgrade.test.ts");
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

/** Programs that each file starts and ends, in files that stand anywhere. Their leftovers in the process are not checked. */
const programs = { include: ["**/*.test.ts"], setupFiles: [] };
const patient = { ...programs, testTimeout: 600_000, hookTimeout: 120_000 };
const asserting = { expect: { requireAssertions: true } };

/** Files of packages/cli that change the process (its signals, exit code and streams) or start programs. Each has a process of its own. */
const changeTheProcess = [
  "build/*",
  "console/console-command",
  "controlplane/*",
  "create/{create-*,names,record}",
  "deploy/{conversion-gone,deploy*,transition,upgrade}",
  "dev/dev*",
  "doctor/doctor",
  "envtest-assets/*",
  "etcd/*",
  "generate/{apply-config,generate-command}",
  "help",
  "install/*",
  "kube-apiserver/{run,without-anonymity}",
  "replay/*",
  "scaffold/{init,upgrade}-command",
  "simulate/*",
].map((path) => `src/${path}.test.ts`);

/**
 * Options of single projects. They stand here because projects share what Vite has transformed only if their own configuration files are
 * the same.
 */
const testOptions: Readonly<Record<string, ViteUserConfig["test"]>> = {
  "packages/tracing": { isolate: true }, // a process has one API of OpenTelemetry, and the tests register one and expect none
  // Two files at a time, because they wait for programs.
  "packages/cli": {
    maxWorkers: 2,
    sequence: { sequencer: UpgradeFirst },
    include: [], // a project would add its own
    projects: [
      { extends: true, test: { name: "own process", isolate: true, include: changeTheProcess } },
      { extends: true, test: { name: "shared process", include: ["src/**/*.test.ts"], exclude: changeTheProcess } },
    ],
  },
  "apps/sdewan-operator": { include: ["{src,demo}/**/*.test.ts"], setupFiles: [] },
  bench: { setupFiles: [] },
  "tests/api-server": patient,
  "tests/conformance": { ...asserting, include: ["**/*.test.ts"] },
  // Two files at a time, because their tests mostly wait for an operator, and each has a control plane.
  "tests/e2e": { ...programs, ...asserting, maxWorkers: 2, testTimeout: 90_000, hookTimeout: 120_000 },
  "tests/faults": { ...programs, ...asserting, testTimeout: 600_000 },
  "tests/informers": patient,
  "tests/parity": patient,
  "tests/security": { ...programs, ...asserting },
  "tests/suites": { ...patient, setupFiles: [join(import.meta.dirname, "vitest.setup.ts")] },
};

const folder = relative(import.meta.dirname, process.cwd()).replaceAll("\\", "/");
const { expect, ...options } = testOptions[folder] ?? {};
// The workers of tests/api-server see these conditions, too. With "import", `require` in packages of others would be given modules.
const modules = folder === "tests/api-server" ? [] : ["import", "module"];
const conditions = ["@kubewright/source", "node", ...modules, "default"];

/** Tests read the packages' sources, so nobody builds in order to test. Shared by every project of the workspace. */
export const shared: ViteUserConfig = defineConfig({
  // One root for all projects, so that they share what Vite has transformed.
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    dir: process.cwd(),
    include: ["src/**/*.test.ts", "*.test.ts"],
    environment: "node",
    // Files share a process: loading the modules again for each costs more than the tests. The setup fails a file that leaves something behind.
    isolate: false,
    setupFiles: [join(import.meta.dirname, "vitest.setup.ts")],
    sequence: seed ? { shuffle: { files: true }, seed: Number(seed) } : {},
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition may need more than Vitest's default of one second while several packages are tested at the same time.
    expect: { poll: { timeout: 15_000 }, ...expect },
    reporters: ["default", new ResultsReporter()],
    ...options,
  },
});

/** For the examples, which have their own configuration once they are copied out. Their tests are next to the files that they test. */
export default mergeConfig(shared, { test: { include: ["**/*.test.ts"] } });
