import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

const config = mergeConfig(shared, {
  test: {
    // Whole programs, one after the other: each file has a control plane of its own.
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { requireAssertions: true },
  },
});
// mergeConfig joins lists, and only this one is meant.
// Whole programs, which each file starts and ends: what a file leaves in the process is not compared.
config.test = { ...config.test, include: ["**/*.test.ts"], setupFiles: [] };

export default config;
