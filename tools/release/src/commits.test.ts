import { expect, it } from "vitest";
import { changeOf } from "./commits.ts";

const commit = (subject: string, body = "") => changeOf({ hash: "0123456789abcdef", subject, body });

it("reads type, scope and text", () => {
  expect(commit("fix(cache): relist when the watch answers 410")).toEqual({
    hash: "0123456789abcdef",
    type: "fix",
    scope: "cache",
    text: "relist when the watch answers 410",
    isBreaking: false,
    breakingNote: undefined,
  });
  expect(commit("docs: the layers")).toMatchObject({ type: "docs", scope: undefined, text: "the layers" });
});

it("treats an exclamation mark or a footer as breaking", () => {
  expect(commit("feat!: new names")).toMatchObject({ type: "feat", isBreaking: true, breakingNote: undefined });
  expect(commit("feat(client)!: new names")).toMatchObject({ scope: "client", isBreaking: true });
  const body = "Why.\n\nBREAKING CHANGE: `list` answers\n  a page\nRefs: x";
  expect(commit("fix: pages", body)).toMatchObject({ isBreaking: true, breakingNote: "`list` answers a page" });
  expect(commit("fix: pages", "no BREAKING CHANGE: here")).toMatchObject({ isBreaking: false });
});

it("keeps a subject that is not conventional", () => {
  expect(commit("Merge of things")).toMatchObject({ type: undefined, text: "Merge of things", isBreaking: false });
  expect(commit("Fix: capitals")).toMatchObject({ type: undefined, text: "Fix: capitals" });
});
