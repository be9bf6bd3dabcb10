import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

/** Tests stand beside what they test, as in the project of the tutorial. */
export default mergeConfig(shared, { test: { include: ["controllers/*.test.ts", "webhooks/*.test.ts"] } });
