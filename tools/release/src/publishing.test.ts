import { expect, it } from "vitest";
import { obstacles, publishCommands, trustedPublisher } from "./publishing.ts";

it("trusts only the identity that CI offers", () => {
  const github = { ACTIONS_ID_TOKEN_REQUEST_URL: "https://x", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "y" };
  expect(trustedPublisher(github)).toBe("GitHub Actions");
  expect(trustedPublisher({ GITLAB_CI: "true", NPM_ID_TOKEN: "x" })).toBe("GitLab CI");
  expect(trustedPublisher({ CI: "true", GITHUB_ACTIONS: "true", NPM_TOKEN: "x" })).toBeUndefined();
  expect(trustedPublisher({ GITLAB_CI: "true" })).toBeUndefined();
});

it("reports obstacles to publishing", () => {
  const workspace = {
    name: "w",
    version: "1.0.0",
    repository: { url: "git+https://github.com/o/r.git" },
    homepage: "https://o.example.com",
    bugs: "https://github.com/o/r/issues",
  };
  const ready = { workspace, tagged: "1.0.0", npm: "11.5.1" };
  expect(obstacles(ready)).toEqual([]);
  expect(obstacles({ ...ready, npm: "12.0.0" })).toEqual([]);
  expect(obstacles({ ...ready, npm: "11.5.0" })).toEqual([
    "npm 11.5.0 does not support trusted publishing; update to 11.5.1 or newer",
  ]);
  expect(obstacles({ ...ready, npm: "10.9.9" })).toHaveLength(1);
  expect(obstacles({ ...ready, tagged: undefined })).toEqual(["the commit has no tag such as v0.2.0"]);
  expect(obstacles({ ...ready, workspace: { name: "w", version: "1.0.0", repository: {} } })).toEqual([
    'package.json of the workspace: repository: Required value: set it to { "type": "git", "url": "git+https://…" }, which npm compares with the publisher\'s identity',
    "package.json of the workspace: homepage: Required value: set it to the address of the documentation",
    "package.json of the workspace: bugs: Required value: set it to the address where users report bugs",
  ]);
});

it("publishes with provenance, in the order of the tarballs", () => {
  const tarballs = ["b", "a"].map((name) => ({
    name,
    file: `${name}-1.0.0.tgz`,
    packedBytes: 1,
    unpackedBytes: 1,
    integrity: "",
  }));
  expect(publishCommands(tarballs)).toEqual([
    "npm publish ./b-1.0.0.tgz --access public --provenance",
    "npm publish ./a-1.0.0.tgz --access public --provenance",
  ]);
});
