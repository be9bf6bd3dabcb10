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
  const repository = { url: "git+https://github.com/o/r.git" };
  const ready = { publishable: [{ name: "a", version: "1.0.0", repository }], tagged: "1.0.0", npm: "11.5.1" };
  expect(obstacles(ready)).toEqual([]);
  expect(obstacles({ ...ready, npm: "12.0.0" })).toEqual([]);
  expect(obstacles({ ...ready, npm: "11.5.0" })).toEqual([
    "npm 11.5.0 does not support trusted publishing; update to 11.5.1 or newer",
  ]);
  expect(obstacles({ ...ready, npm: "10.9.9" })).toHaveLength(1);
  expect(obstacles({ ...ready, tagged: undefined })).toEqual(["the commit has no tag such as v0.2.0"]);
  const nameless = ["a", "b", "c", "d"].map((name) => ({ name, version: "1.0.0" }));
  expect(obstacles({ ...ready, publishable: nameless })).toEqual([
    'provenance requires "repository" in package.json, which is missing in a, b and 2 more',
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
