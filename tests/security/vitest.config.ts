import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

const config = mergeConfig(shared, { test: { expect: { requireAssertions: true } } });
// mergeConfig joins lists, and only this one is meant.
// Whole programs, which each file starts and ends: what a file leaves in the process is not compared.
config.test = { ...config.test, include: ["**/*.test.ts"], setupFiles: [] };

export default config;
