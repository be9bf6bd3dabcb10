import { describe, expect, it } from "vitest";
import { changeOf } from "./commits.ts";
import { chooseVersion, compareVersions, leastVersion, parseVersion, type VersionChoice } from "./version.ts";

const changes = (...subjects: string[]) =>
  subjects.map((subject) => changeOf({ hash: "0123456789abcdef", subject, body: "" }));
const choose = (choice: Partial<VersionChoice>) =>
  chooseVersion({ asked: undefined, announced: undefined, last: "0.1.4", current: "0.1.4", changes: [], ...choice });

describe("the lowest version after another", () => {
  it.each([
    ["0.1.4", ["fix: a"], "0.1.5"],
    ["0.1.4", ["feat: a", "fix: b"], "0.1.5"],
    ["0.1.4", ["fix!: a", "fix: b"], "0.2.0"],
    ["1.1.4", ["docs: a"], "1.1.5"],
    ["1.1.4", ["fix: a", "feat: b"], "1.2.0"],
    ["1.1.4", ["feat: a", "refactor!: b"], "2.0.0"],
  ])("after %s with %j is %s", (last, subjects, expected) => {
    expect(leastVersion(parseVersion(last, "tag"), changes(...subjects)).join(".")).toBe(expected);
  });

  it("is compared numerically", () => {
    expect(compareVersions([0, 10, 0], [0, 9, 9])).toBeGreaterThan(0);
    expect(compareVersions([1, 0, 0], [1, 0, 1])).toBeLessThan(0);
  });
});

describe("the version to release", () => {
  it("is the requested one, otherwise the announced one, otherwise the lowest", () => {
    expect(choose({ asked: "0.3.0", changes: changes("fix: a") })).toBe("0.3.0");
    expect(choose({ announced: "0.2.0", changes: changes("fix: a") })).toBe("0.2.0");
    expect(choose({ changes: changes("fix: a") })).toBe("0.1.5");
  });

  it("is that of the packages for the first release", () => {
    expect(choose({ last: undefined, current: "0.1.0" })).toBe("0.1.0");
    expect(choose({ last: undefined, current: "0.1.0", asked: "1.0.0" })).toBe("1.0.0");
  });

  it.each(["1", "1.2", "v1.2.3", "1.2.3-rc.1", "01.2.3", "latest", ""])("must not be %j", (asked) => {
    expect(() => choose({ asked, changes: changes("fix: a") })).toThrow(
      `--version "${asked}" is not a version; use three numbers, such as 0.2.0`,
    );
  });

  it("must not be lower than the commits allow", () => {
    expect(() => choose({ asked: "0.1.5", changes: changes("fix: b", "feat(client)!: new names") })).toThrow(
      'version 0.1.5 is too low after 0.1.4: 012345678 is a breaking change ("new names"); the lowest possible version is 0.2.0',
    );
    expect(() => choose({ asked: "0.1.4", changes: changes("fix: b") })).toThrow(
      "the lowest possible version is 0.1.5",
    );
  });

  it("must be the same where it is requested and announced", () => {
    expect(() => choose({ asked: "0.3.0", announced: "0.2.0", changes: changes("fix: a") })).toThrow(
      "--version 0.3.0: CHANGELOG.md announces 0.2.0; change one of them",
    );
  });

  it("does not exist without commits", () => {
    expect(() => choose({ asked: "0.2.0" })).toThrow("nothing to release: no commits since v0.1.4");
  });
});
