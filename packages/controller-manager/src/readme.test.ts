import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { expect, it, vi } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import type { ImageRunner } from "./node/image-registry.ts";

const said: string[] = [];
const echo: ImageRunner = async ({ ip, readSecret }) => {
  const secret = await readSecret("echo");
  said.push(`would listen on ${ip} and say ${secret?.get("word") ?? "nothing"}`);
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  return { exited, stop: async () => resolve(0) };
};

it("runs the README's image", async () => {
  const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
  expect(readme).toContain('"example/echo": async ({ ip, readSecret }) => {');
  await using plane = await startControlPlane({ images: { "example/echo": echo } });
  const client = new Client({ connection: plane.connection() });
  await client.create(Pod, {
    metadata: { name: "one", namespace: "default" },
    spec: { containers: [{ name: "main", image: "example/echo:1" }] },
  });
  await vi.waitFor(() => expect(said).toEqual([expect.stringMatching(/^would listen on 127\..* and say nothing$/)]), {
    timeout: 10_000,
  });
  await client.close();
});
