import { describe, expect, it } from "vitest";
import type { RequestMessage } from "../http/messages.ts";
import {
  AuthenticationErrors,
  type Authenticator,
  anonymousAuthenticator,
  firstKnown,
  type Identity,
  inAuthenticatedGroup,
  requiredIdentity,
  unionAuthenticator,
} from "./authenticator.ts";

const request: RequestMessage = { headers: {}, rawHeaders: [], url: "/api", method: "GET" } as never;
const identity = (name: string, ...groups: string[]): Identity => ({ user: { name, groups } });
const jane = identity("jane");

type Outcome = Identity | undefined | Error;
const ways: readonly [string, (answer: Outcome) => Authenticator][] = [
  [
    "at once",
    (answer) => () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  ],
  [
    "later",
    (answer) => async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  ],
];

describe.each(ways)("several methods that answer %s", (_when, answering) => {
  const asked = async (...outcomes: Outcome[]) => unionAuthenticator(outcomes.map(answering))(request);

  it("return the user of the first that knows one", async () => {
    expect(await asked(undefined, jane, identity("carl"))).toBe(jane);
    expect(await asked(new Error("bad"), jane)).toBe(jane);
    expect(await asked(jane, new Error("bad"))).toBe(jane);
  });

  it("return nothing if none does", async () => {
    expect(await asked(undefined, undefined)).toBeUndefined();
    expect(await asked()).toBeUndefined();
  });

  it("report every error once", async () => {
    await expect(asked(undefined, new Error("bad"))).rejects.toThrow(/^bad$/);
    await expect(asked(new Error("bad"), new Error("worse"), new Error("bad"))).rejects.toThrow("[bad, worse]");
    await expect(asked(new AuthenticationErrors([new Error("a"), "b"]), new Error("a"))).rejects.toMatchObject({
      reasons: ["a", "b"],
    });
  });
});

describe("synchronous and asynchronous methods", () => {
  const throwing = (): never => {
    throw new Error("thrown");
  };

  it("are called only up to the first that knows the user", async () => {
    const asked: string[] = [];
    const method = (name: string, known?: string) => () => {
      asked.push(name);
      return known;
    };
    const later = (name: string, known?: string) => async () => method(name, known)();
    const ask = (one: () => string | undefined | Promise<string | undefined>) => one();
    expect(await firstKnown([method("a"), later("b"), method("c"), later("d", "D"), method("e")], ask)).toBe("D");
    expect(asked).toEqual(["a", "b", "c", "d"]);
  });

  it("may throw after an asynchronous one", async () => {
    const ask = (one: () => undefined | Promise<undefined>) => one();
    await expect(firstKnown([async () => undefined, throwing], ask)).rejects.toThrow("thrown");
    expect(() => firstKnown([throwing], ask)).toThrow("thrown");
  });

  it("answer synchronously if all do", () => {
    expect(unionAuthenticator([() => undefined, () => jane])(request)).toBe(jane);
  });
});

describe("a request without credentials", () => {
  const anonymous = { user: { name: "system:anonymous", groups: ["system:unauthenticated"] } };
  it.each<[string | undefined, readonly string[] | undefined, boolean]>([
    ["/api", undefined, true],
    [undefined, undefined, true],
    ["/livez", ["/livez"], true],
    ["/livez?verbose", ["/livez"], true],
    ["/livez/etcd", ["/livez"], false],
    ["/api", ["/livez"], false],
    ["/api", [], false],
    [undefined, ["/"], true],
  ])("at %s is anonymous on %j: %s", (url, paths, known) => {
    const { url: _, ...rest } = request;
    const asked = { ...rest, ...(url === undefined ? {} : { url }) } as RequestMessage;
    expect(anonymousAuthenticator(paths)(asked)).toEqual(known ? anonymous : undefined);
  });
});

describe("an authenticated user", () => {
  it("is in the group of authenticated users, once", () => {
    expect(inAuthenticatedGroup(() => identity("jane", "dev"))(request)).toEqual(
      identity("jane", "dev", "system:authenticated"),
    );
    const already = identity("jane", "system:authenticated");
    expect(inAuthenticatedGroup(() => already)(request)).toBe(already);
  });

  it("keeps other attributes", () => {
    const known = { ...jane, audiences: ["kube"], warnings: ["old"] };
    expect(inAuthenticatedGroup(() => known)(request)).toEqual({
      ...known,
      user: { ...jane.user, groups: ["system:authenticated"] },
    });
  });

  it("is unchanged if anonymous or unknown", () => {
    const anonymous = identity("system:anonymous");
    expect(inAuthenticatedGroup(() => anonymous)(request)).toBe(anonymous);
    expect(inAuthenticatedGroup(() => undefined)(request)).toBeUndefined();
  });
});

describe.each(ways)("a request authenticated %s", (_when, answering) => {
  const nobody = identity("system:anonymous");
  const ask = async (known: Outcome, anonymous?: Outcome) =>
    requiredIdentity(answering(known), anonymous && answering(anonymous))(request);

  it("passes, and is anonymous only without a credential", async () => {
    expect(await ask(jane, nobody)).toBe(jane);
    expect(await ask(undefined, nobody)).toBe(nobody);
  });

  it("is rejected otherwise, with the cause", async () => {
    await expect(ask(undefined)).rejects.toMatchObject({ status: { code: 401 } });
    await expect(ask(new Error("bad"), nobody)).rejects.toMatchObject({
      status: { code: 401 },
      cause: new Error("bad"),
    });
  });
});
