import { defineConfig } from "vitest/config";

/** Tests run on plain Node, like the program. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    experimental: { viteModuleRunner: false },
  },
});
