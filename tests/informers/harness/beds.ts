import process from "node:process";
import { Environment, type EnvironmentOptions } from "@kubewright/envtest";
import { afterAll, beforeAll, describe } from "vitest";

const assets = process.env.KUBEBUILDER_ASSETS ?? "";
if (assets === "")
  console.warn("informers: the real API server is skipped, because KUBEBUILDER_ASSETS does not name its binaries");

const beds = [{ bed: "embedded", folder: "" }, ...(assets === "" ? [] : [{ bed: "real", folder: assets }])];

/**
 * Declares the same tests for each API server: the embedded one, and the real one if its binaries are available. The latter ignores a clock.
 */
export function onEachBed(what: string, options: EnvironmentOptions, declare: (env: () => Environment) => void): void {
  describe.each(beds)(`${what}, on the $bed API server`, ({ folder }) => {
    let env: Environment | undefined;
    beforeAll(async () => {
      env = await Environment.start({ ...options, clock: folder === "" ? options.clock : undefined, assets: folder });
    });
    afterAll(async () => {
      await env?.stop();
    });
    declare(() => {
      if (!env) throw new Error("the API server has not been started");
      return env;
    });
  });
}
