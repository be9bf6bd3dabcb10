import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

const config = mergeConfig(shared, { test: { testTimeout: 600_000, hookTimeout: 120_000 } });
// mergeConfig joins lists, and only this one is meant.
config.test = { ...config.test, include: ["**/*.test.ts"] };

export default config;
