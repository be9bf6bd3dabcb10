import { hasGo } from "./go-suite.ts";

/** The suites take minutes and Go's modules: they run where `npm run test:suites` asks for them. */
export const asked = process.env.KUBEWRIGHT_SUITES === "1";

/** @throws {Error} where they were asked for, and there is no Go */
export function demandGo(): void {
  if (!hasGo())
    throw new Error("no go on the PATH: the suites are built with Go 1.26 or newer, which https://go.dev/dl has");
}
