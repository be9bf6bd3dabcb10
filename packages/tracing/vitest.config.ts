import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

// A process has one API of OpenTelemetry, and what registers one and finds none is what is tested.
export default mergeConfig(shared, { test: { isolate: true } });
