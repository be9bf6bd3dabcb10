import { afterEach, expect, it } from "vitest";
import { clientNode, loadClientNodeBy } from "./client-node.ts";
import { isKubeConfigError } from "./kubeconfig-error.ts";

afterEach(() => loadClientNodeBy(() => import("@kubernetes/client-node")));

it("is found where it is installed", async () => {
  expect((await clientNode()).KubeConfig).toBeTypeOf("function");
});

it("reports the required import if a bundle left it out", async () => {
  loadClientNodeBy(() => import(["@kubernetes", "client-node", "no-such-file.js"].join("/")));
  const error = await clientNode().catch((error: unknown) => error);
  expect(isKubeConfigError(error)).toBe(true);
  expect(String(error)).toContain('add import "kubewright/exec" to the program before it is bundled');
});
