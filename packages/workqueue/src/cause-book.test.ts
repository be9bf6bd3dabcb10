import { expect, it } from "vitest";
import { CauseBook } from "./cause-book.ts";

it("keeps a limited number of the latest causes, each once", () => {
  const book = new CauseBook<string, { id: number; text: string }>({ maxCauses: 2, causeKey: (cause) => cause.id });
  book.note("web", { id: 1, text: "first" });
  book.note("web", { id: 2, text: "second" });
  book.note("web", { id: 1, text: "first again" });
  expect(book.causesOf("web", false).map(({ text }) => text)).toEqual(["second", "first again"]);
  book.note("web", { id: 3, text: "third" });
  expect(book.causesOf("web", false).map(({ text }) => text)).toEqual(["first again", "third"]);
});

it("separates causes of work in progress from later ones", () => {
  const book = new CauseBook<string, string>({});
  book.note("web", "created");
  book.take("web");
  book.note("web", "updated");
  expect(book.causesOf("web", true)).toEqual(["created"]);
  book.done("web");
  expect(book.causesOf("web", false)).toEqual(["updated"]);
});
