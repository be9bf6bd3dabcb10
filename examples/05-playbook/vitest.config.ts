import { defineConfig } from "vitest/config";

/** Tests run as the program does: on Node alone. */
export default defineConfig({
  test: { testTimeout: 30_000, hookTimeout: 60_000, experimental: { viteModuleRunner: false } },
});
