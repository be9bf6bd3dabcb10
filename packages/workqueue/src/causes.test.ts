import { expect, it } from "vitest";
import { Causes } from "./causes.ts";

it("keeps a limited number of the latest causes, each once", () => {
  const causes = new Causes<string, { id: number; text: string }>({ maxCauses: 2, causeKey: (cause) => cause.id });
  causes.add("web", { id: 1, text: "first" });
  causes.add("web", { id: 2, text: "second" });
  causes.add("web", { id: 1, text: "first again" });
  expect(causes.of("web", false).map(({ text }) => text)).toEqual(["second", "first again"]);
  causes.add("web", { id: 3, text: "third" });
  expect(causes.of("web", false).map(({ text }) => text)).toEqual(["first again", "third"]);
});

it("separates causes of work in progress from later ones", () => {
  const causes = new Causes<string, string>({});
  causes.add("web", "created");
  causes.take("web");
  causes.add("web", "updated");
  expect(causes.of("web", true)).toEqual(["created"]);
  causes.done("web");
  expect(causes.of("web", false)).toEqual(["updated"]);
});
