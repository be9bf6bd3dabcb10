import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inClusterSettings, isInCluster } from "./in-cluster.ts";

const folder = mkdtempSync(join(tmpdir(), "serviceaccount-"));
afterAll(() => rmSync(folder, { recursive: true }));
const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

it("requires a token", () => {
  expect(isInCluster(env, folder)).toBe(false);
  expect(() => inClusterSettings({}, folder)).toThrow("this program does not run in a pod");
  expect(() => inClusterSettings(env, folder)).toThrow("this pod has no service account");
});

it("reads the files and variables of the pod", () => {
  for (const [name, text] of Object.entries({ token: "t\n", "ca.crt": "CA", namespace: "shop\n" }))
    writeFileSync(join(folder, name), text);

  expect(isInCluster(env, folder)).toBe(true);
  expect(inClusterSettings(env, folder)).toEqual({
    server: "https://[fd00::1]:443",
    tokenFile: join(folder, "token"),
    caData: "CA",
    namespace: "shop",
  });
});
