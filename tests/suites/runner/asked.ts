import { hasGo } from "./go-suite.ts";

/** The suites take minutes and need Go's modules, so they run only with `npm run test:suites`. */
export const asked = process.env.KUBEWRIGHT_SUITES === "1";

/** @throws {Error} if the suites were requested, but Go is missing */
export function demandGo(): void {
  if (!hasGo())
    throw new Error(
      "go is not on the PATH: building the suites requires Go 1.26 or newer, available at https://go.dev/dl",
    );
}
