import { join } from "node:path";
import { expect, it } from "vitest";
import { main } from "./main.ts";
import { writeBaseLayout } from "./testing/base-layout.ts";
import { ProjectFolder } from "./testing/project-folder.ts";
import { recordedIo } from "./testing/recorded-io.ts";

const commands = [["create", "api"], ["create", "webhook"], ["generate"], ["generate", "clientset"]] as const;

async function exampleOf(words: readonly string[]): Promise<string[]> {
  const io = recordedIo();
  expect(await main([...words, "--help"], io)).toBe(0);
  const [, example] = /^ {2}\$ npx kubewright (.*)$/m.exec(io.written.out) ?? [];
  expect(example).toBeDefined();
  return (example ?? "").split(" ");
}

it("shows examples in --help that work one after the other", async () => {
  using project = new ProjectFolder();
  await project.init();
  for (const words of commands) {
    const example = await exampleOf(words);
    expect([example, await project.run(...example)]).toMatchObject([example, { code: 0 }]);
  }
  writeBaseLayout(join(project.root, "base"));
  for (const words of [["build"], ["image"], ["deploy"]]) {
    const example = await exampleOf(words);
    expect([example, await project.run(...example)]).toMatchObject([example, { code: 0 }]);
  }
  const others = [
    "dev",
    "doctor",
    "undeploy",
    "upgrade",
    "apply",
    "install",
    "uninstall",
    "check",
    "init",
    "console",
    "simulate",
    "plan",
    "replay",
  ];
  for (const words of [...others.map((word) => [word]), ["generate", "kinds"]]) await exampleOf(words);
}, 300_000);
