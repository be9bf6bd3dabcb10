import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

// Commands change what belongs to the whole process (its signals, its exit code, its streams), so each file has a process of its own; two at a time,
// because they wait for programs.
export default mergeConfig(shared, { test: { isolate: true, maxWorkers: 2 } });
