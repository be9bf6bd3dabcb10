import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { Planted } from "./planted.ts";
import { readSources, sourcesOfLastCommit } from "./sources.ts";

const files = {
  "packages/a/src/one.ts": "one",
  "packages/a/src/room/two.ts": "two",
  "packages/b/src/three.ts": "three",
};
const left = {
  "packages/a/src/one.test.ts": "test",
  "packages/a/src/index.ts": "index",
  "packages/a/src/testing/fake.ts": "fake",
  "packages/a/src/room/table.ts": "// Generated from the Go types\nexport const table = 1;",
  "tests/t/t.ts": "t",
};
const paths = (sources: readonly { readonly path: string }[]) => sources.map(({ path }) => path);

it("reads sources that tests should cover, filtered by package, folder and glob", () => {
  using planted = new Planted({ ...files, ...left });
  expect(paths(readSources(planted.root, {}))).toEqual(Object.keys(files));
  expect(paths(readSources(planted.root, { package: "b" }))).toEqual(["packages/b/src/three.ts"]);
  expect(paths(readSources(planted.root, { folder: "room" }))).toEqual(["packages/a/src/room/two.ts"]);
  expect(paths(readSources(planted.root, { files: "packages/*/src/t*.ts" }))).toEqual(["packages/b/src/three.ts"]);
  expect(paths(readSources(planted.root, { files: "**/t*.ts" }))).toEqual(Object.keys(files).slice(1));
});

it("selects the folders that a commit changes, and in a shallow clone some by seed", () => {
  using planted = new Planted(files);
  const git = (...args: string[]): void => {
    const run = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: planted.root });
    if (run.status !== 0) throw new Error(String(run.stderr));
  };
  git("init", "-q");
  git("add", "packages");
  git("commit", "-qm", "first");
  expect(paths(sourcesOfLastCommit(planted.root, "7"))).toEqual(Object.keys(files));
  expect(() => readSources(planted.root, { since: "HEAD^" })).toThrow("--since HEAD^: no such commit");

  planted.write("packages/a/src/room/two.ts", "changed");
  git("commit", "-qam", "second");
  expect(paths(sourcesOfLastCommit(planted.root, "7"))).toEqual(["packages/a/src/room/two.ts"]);
  expect(paths(readSources(planted.root, { since: "HEAD^" }))).toEqual(["packages/a/src/room/two.ts"]);
});
