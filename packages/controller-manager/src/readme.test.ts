import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { expect, it, vi } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import type { ImageRunner } from "./node/image-registry.ts";

const printed: string[] = [];
const echo: ImageRunner = async ({ ip, readSecret, output }) => {
  const secret = await readSecret("echo");
  const text = `would listen on ${ip} and say ${secret?.get("word") ?? "nothing"}\n`;
  output.write(text);
  printed.push(text.trimEnd());
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  return { exited, stop: async () => resolve(0) };
};

it("runs the README's image", async () => {
  const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
  expect(readme).toContain('"example/echo": async ({ ip, readSecret, output }) => {');
  await using plane = await startControlPlane({ images: { "example/echo": echo } });
  const client = new Client({ connection: plane.connection() });
  await client.create(Pod, {
    metadata: { name: "one", namespace: "default" },
    spec: { containers: [{ name: "main", image: "example/echo:1" }] },
  });
  await vi.waitFor(
    () => expect(printed).toEqual([expect.stringMatching(/^would listen on 127\..* and say nothing$/)]),
    {
      timeout: 10_000,
    },
  );
  await client.close();
});
