import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

const config = mergeConfig(shared, { test: { testTimeout: 600_000, hookTimeout: 120_000 } });
// mergeConfig joins lists, and only this one is meant.
// Whole programs, which each file starts and ends: what a file leaves in the process is not compared.
config.test = { ...config.test, include: ["**/*.test.ts"], setupFiles: [] };
// Without "import": the workers are told of these, too, and `require` in the packages of others would be given modules.
const conditions = ["@kubewright/source", "node", "default"];
config.resolve = { ...config.resolve, conditions };
config.ssr = { ...config.ssr, resolve: { ...config.ssr?.resolve, conditions } };

export default config;
