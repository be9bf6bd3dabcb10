import { kubernetesVersion } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { main } from "./main.ts";
import { recordedIo } from "./testing/recorded-io.ts";

async function run(...argv: string[]) {
  const io = recordedIo();
  return { code: await main(argv, io), ...io.written };
}

it("lists its commands", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toContain("controlplane");
  expect(out).toContain("envtest-assets");
});

it("refuses unknown commands", async () => {
  expect(await run("nosuch")).toMatchObject({ code: 2, err: "error: unknown command 'nosuch'\n" });
});

it("passes flags to the control plane unchanged", async () => {
  expect((await run("controlplane", "--nosuch", "--version")).err).toBe("Error: unknown flag: --nosuch\n");
  expect(await run("controlplane", "--version")).toMatchObject({ code: 0, out: `Kubernetes ${kubernetesVersion}\n` });
});
