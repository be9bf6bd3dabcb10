import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

const config = mergeConfig(shared, { test: { expect: { requireAssertions: true } } });
// mergeConfig joins lists, and only this one is meant.
config.test = { ...config.test, include: ["**/*.test.ts"] };

export default config;
