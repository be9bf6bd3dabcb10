import { readFileSync } from "node:fs";
import { ApiServer } from "@kubewright/kube-apiserver";
import { expect, it, vi } from "vitest";

it("runs the example of the README", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});

  const server = await ApiServer.start({ users: [{ name: "jane", groups: ["dev"] }] });

  console.log(server.kubeconfig()); // for kubectl and any other client; as user admin
  const { server: url, caData, certData, keyData } = server.connection("jane"); // the same as plain values
  server.faults.failNext({ status: 503, resource: "configmaps", verb: "create" }); // trouble, for tests of controllers
  await server.restart(); // every connection dropped; same port, same objects
  await server.stop();

  expect(log).toHaveBeenCalledWith(expect.stringContaining("current-context: kubewright"));
  expect([url, caData, certData, keyData].every((text) => text !== undefined)).toBe(true);
  log.mockRestore();
});

it("contains the same code as the README", () => {
  const [, example = ""] =
    /```ts\n(.*?)```/s.exec(readFileSync(new URL("../README.md", import.meta.url), "utf8")) ?? [];
  const source = readFileSync(new URL(import.meta.url), "utf8");
  const lines = example.split("\n").filter((line) => line !== "" && !line.startsWith("import"));
  for (const line of lines) expect(source).toContain(line);
});
