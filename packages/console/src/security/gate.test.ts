import type { IncomingMessage } from "node:http";
import { FakeClock } from "@kubewright/clock/testing";
import type { ObjectAccess, RequestAuthenticator } from "@kubewright/manager/http";
import { expect, it } from "vitest";
import { Gate } from "./gate.ts";
import { Sessions } from "./sessions.ts";

const user = { username: "ann" };
const secret: ObjectAccess = {
  ...{ verb: "get", group: "", version: "v1", resource: "secrets", namespace: "default", name: "a" },
};

function start(isLoopback: boolean, admission: Awaited<ReturnType<RequestAuthenticator["admit"]>>) {
  const sessions = new Sessions(new FakeClock());
  const asked: unknown[] = [];
  const gate = new Gate({
    listening: { port: 1, isLoopback, isSecure: !isLoopback },
    sessions,
    authenticator: {
      admit: async ({ headers }, path) => {
        asked.push([headers.authorization, path]);
        return admission;
      },
      mayAccess: async (...access) => {
        asked.push(access);
        return false;
      },
    },
    mayProgram: async (access) => {
      asked.push(["program", access]);
      return true;
    },
  });
  const session = sessions.exchange(sessions.newToken()) ?? "";
  const enter = (headers: IncomingMessage["headers"]) => gate.enter({ headers } as IncomingMessage, "/v1/overview");
  return { gate, session, asked, enter };
}

const refused = { status: 401, message: "bring a token" } as const;

it("admits by session only on loopback, without asking the API server", async () => {
  const here = start(true, refused);
  expect(await here.enter({ "kubewright-session": here.session })).toEqual({
    status: 200,
    viewer: { type: "local", session: expect.any(String) },
  });
  expect(here.asked).toEqual([]);
  expect(await here.enter({ "kubewright-session": "guess" })).toEqual(refused);
  const beyond = start(false, refused);
  expect(await beyond.enter({ "kubewright-session": beyond.session })).toEqual(refused);
});

it("reviews a token even if there is a session", async () => {
  const token = { authorization: "Bearer t" };
  const here = start(true, refused);
  expect(await here.enter({ "kubewright-session": here.session, ...token })).toEqual(refused);
  expect(here.asked).toEqual([["Bearer t", "/v1/overview"]]);
  expect(await start(false, { status: 200, user }).enter(token)).toEqual({
    status: 200,
    viewer: { type: "user", user },
  });
  const forbidden = { status: 403, message: "you may not" } as const;
  expect(await start(true, forbidden).enter(token)).toEqual(forbidden);
});

it("checks each object for users, but not for local viewers", async () => {
  const { gate, asked } = start(true, refused);
  expect(await gate.maySee({ type: "local", session: "" }, secret)).toBe(true);
  expect(asked).toEqual([]);
  expect(await gate.maySee({ type: "user", user }, secret)).toBe(false);
  expect(asked).toEqual([[user, secret]]);
});

it("lets the API server decide who may act on an object: about the program for a local viewer, otherwise about the user", async () => {
  const { gate, asked } = start(true, refused);
  const { verb: _verb, ...object } = secret;
  expect(await gate.mayAct({ type: "local", session: "s" }, object)).toBe(true);
  expect(await gate.mayAct({ type: "user", user }, object)).toBe(false);
  const update = { ...secret, verb: "update" };
  expect(asked).toEqual([
    ["program", update],
    [user, update],
  ]);
});
