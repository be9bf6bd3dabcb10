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
config.test = { ...config.test, include: ["**/*.test.ts"] };

export default config;
