import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = (url: string) => `
  import { createRequire } from "node:module";
  import { Connection } from "@kubewright/client";
  await using connection = new Connection({ server: ${JSON.stringify(url)} });
  const { status } = await connection.request({ path: "/" });
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes("/undici/"));
  console.log(JSON.stringify({ status, files: loaded.length, whole: loaded.some((file) => file.endsWith("/undici/index.js")) }));
`;

it("loads only the parts of undici that make connections", async () => {
  const server = createServer((_request, response) => void response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const text = program(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const args = ["--conditions=@kubewright/source", "--input-type=module", "-e", text];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  server.close();
  const { status, files, whole } = JSON.parse(stdout) as { status: number; files: number; whole: boolean };
  expect([status, whole]).toEqual([200, false]);
  expect(files).toBeGreaterThan(10);
  expect(files).toBeLessThan(40);
});
