import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

// The test with random bodies sets flags of V8, which hold for a whole process.
export default mergeConfig(shared, { test: { isolate: true } });
