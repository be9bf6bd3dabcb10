import { expect, it } from "vitest";
import { readTokenFile } from "./token-file.ts";

/** @see apiserver pkg/authentication/token/tokenfile tokenfile_test.go */
it("reads users by token, with their groups", () => {
  const tokens = readTokenFile(
    "tokens.csv",
    'token1,user1,uid1\ntoken2,user2,uid2,"group1,group2"\ntoken3,user3,,group3\n,nobody,uid4\n',
  );
  const userOf = (token: string) => tokens.authenticate(token, []);
  expect(["token1", "token2", "token3", "", "token4"].map(userOf)).toStrictEqual([
    { user: { name: "user1", uid: "uid1", groups: [] } },
    { user: { name: "user2", uid: "uid2", groups: ["group1", "group2"] } },
    { user: { name: "user3", groups: ["group3"] } },
    undefined,
    undefined,
  ]);
});

it("requires tokens, users and UIDs", () => {
  expect(() => readTokenFile("tokens.csv", "token1,user1\n")).toThrow(
    "token file 'tokens.csv' must have at least 3 columns (token, user name, user uid), found 2",
  );
});
