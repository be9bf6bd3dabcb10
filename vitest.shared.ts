import { join } from "node:path";
import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";
import { ResultsReporter } from "./tools/test-report/src/results.ts";

/** The seed of the order of files, as CI sets it and prints it; without one, the order is that of their names. */
const seed = process.env.TEST_SEED;

// Tests start the project's programs hundreds of times. With this cache, Node.js compiles their modules only once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/** Tests read the packages' sources, so nobody builds in order to test. Shared by every project of the workspace. */
export const shared: ViteUserConfig = defineConfig({
  resolve: { conditions: ["@kubewright/source", "node", "import", "module", "default"] },
  ssr: { resolve: { conditions: ["@kubewright/source", "node", "import", "module", "default"] } },
  test: {
    include: ["src/**/*.test.ts", "*.test.ts"],
    environment: "node",
    // Files share a process: loading the modules again for each costs more than the tests. The setup fails a file that leaves something behind.
    isolate: false,
    setupFiles: [join(import.meta.dirname, "vitest.setup.ts")],
    sequence: seed ? { shuffle: { files: true }, seed: Number(seed) } : {},
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a test waits for takes longer than vitest's one second where several packages are tested at a time.
    expect: { poll: { timeout: 15_000 } },
    reporters: ["default", new ResultsReporter()],
  },
});

/** For a project that has a configuration of its own where it is copied to: its tests stand beside what they test. */
export default mergeConfig(shared, { test: { include: ["**/*.test.ts"] } });
