import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";

/** Tests read the packages' sources, so nobody builds in order to test. Shared by every project of the workspace. */
export const shared: ViteUserConfig = defineConfig({
  resolve: { conditions: ["@kubewright/source", "node", "import", "module", "default"] },
  ssr: { resolve: { conditions: ["@kubewright/source", "node", "import", "module", "default"] } },
  test: {
    include: ["src/**/*.test.ts", "*.test.ts"],
    environment: "node",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What a test waits for takes longer than vitest's one second where several packages are tested at a time.
    expect: { poll: { timeout: 15_000 } },
    reporters: ["default", "json"],
    outputFile: { json: "test-results.json" },
  },
});

/** For a project that has a configuration of its own where it is copied to: its tests stand beside what they test. */
export default mergeConfig(shared, { test: { include: ["**/*.test.ts"] } });
