import { expect, it } from "vitest";
import { announcedVersion, hasSection, withRelease } from "./changelog.ts";
import { changeOf } from "./commits.ts";

const hash = "0123456789abcdef";
const changes = [
  changeOf({ hash, subject: "feat(client)!: new names", body: "BREAKING CHANGE: `get` is `read`" }),
  changeOf({ hash, subject: "fix(cache): lists of <T> and *all* in `a*b`", body: "" }),
  changeOf({ hash, subject: "feat: more", body: "" }),
  changeOf({ hash, subject: "test: more", body: "" }),
  changeOf({ hash, subject: "docs: more", body: "" }),
  changeOf({ hash, subject: "test(cache): more", body: "" }),
  changeOf({ hash, subject: "By hand", body: "" }),
];
const section = { version: "0.2.0", date: "2026-11-23", changes };
const fromCommits = `### From the commits

#### Breaking

- **client**: feat: new names (012345678). \`get\` is \`read\`

#### Features

- more (012345678)

#### Fixes

- **cache**: lists of \\<T\\> and \\*all\\* in \`a*b\` (012345678)

#### Other changes

- By hand (012345678)

Not listed: 1 docs, 2 test.
`;
const older = "## 0.1.0 (2026-01-01)\n\n- First.\n";

it("keeps hand-written text unchanged before the list of commits", () => {
  const byHand = "First version.\n\n- **Libraries**: `a`,\n  `b`.\n\n### Breaking\n\n- Much.";
  for (const title of ["## 0.2.0 (unreleased)", "## Unreleased", "## [Unreleased]"])
    expect(withRelease(`# Changelog\n\nWords.\n\n${title}\n\n${byHand}\n\n${older}`, section)).toBe(
      `# Changelog\n\nWords.\n\n## 0.2.0 (2026-11-23)\n\n${byHand}\n\n${fromCommits}\n${older}`,
    );
});

it("puts the first release at the end", () => {
  expect(withRelease("# Changelog\n\n## 0.2.0 (unreleased)\n\n- Words.\n", section)).toBe(
    `# Changelog\n\n## 0.2.0 (2026-11-23)\n\n- Words.\n\n${fromCommits}`,
  );
});

it("puts a release without hand-written text before the last one", () => {
  expect(withRelease(`# Changelog\n\nWords.\n\n${older}`, section)).toBe(
    `# Changelog\n\nWords.\n\n## 0.2.0 (2026-11-23)\n\n${fromCommits}\n${older}`,
  );
  expect(withRelease("# Changelog\n", section)).toBe(`# Changelog\n\n## 0.2.0 (2026-11-23)\n\n${fromCommits}`);
});

it("refuses a second release of a version, and two unreleased sections", () => {
  expect(() => withRelease("## 0.2.0 (2026-01-01)\n", section)).toThrow("CHANGELOG.md: 0.2.0 is already released");
  expect(() => withRelease("## Unreleased\n\n## 0.2.0 (unreleased)\n", section)).toThrow(
    'CHANGELOG.md: "## Unreleased" and "## 0.2.0 (unreleased)": only one section may be unreleased',
  );
});

it("reads the announced version and released versions", () => {
  expect(announcedVersion("# C\n\n## 0.2.0 (unreleased)\n")).toBe("0.2.0");
  expect(announcedVersion("# C\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n")).toBeUndefined();
  expect(hasSection("## 0.1.0 (2026-01-01)\n", "0.1.0")).toBe(true);
  expect(hasSection("## 0.1.0 (unreleased)\n", "0.1.0")).toBe(false);
});
