import { kubernetesVersion } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { main } from "./main.ts";
import { recordedIo } from "./testing/recorded-io.ts";

it("runs the README's example", async () => {
  const io = recordedIo();
  const code = await main(["controlplane", "--version"], io);
  expect({ code, out: io.written.out }).toEqual({ code: 0, out: `Kubernetes ${kubernetesVersion}\n` });
});
