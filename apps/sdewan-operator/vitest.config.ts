import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

// Whole programs, which each file starts and ends: what a file leaves in the process is not compared.
export default defineConfig({ ...shared, test: { ...shared.test, setupFiles: [] } });
