import { expect, it } from "vitest";
import { forwardedHeaders, identityHeaders, responseHeaders } from "./forwarded-headers.ts";

const none = { names: [], prefixes: [] };

it("does not forward headers that identify or authenticate a client", () => {
  const headers = {
    accept: "a/b",
    authorization: "Bearer secret",
    "impersonate-user": "root",
    "impersonate-extra-a": "b",
    "x-remote-user": "root",
    "x-remote-group": "system:masters",
    "x-remote-uid": "1",
    "x-remote-extra-scopes": "all",
    "x-my-user": "root",
    "x-my-extra-a": "b",
    "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io",
  };
  expect(forwardedHeaders(headers, { names: ["X-My-User"], prefixes: ["X-My-Extra-"] })).toEqual({
    accept: "a/b",
    "sec-websocket-protocol": "v4.channel.k8s.io",
  });
});

it("does not forward hop-by-hop headers in either direction", () => {
  const headers = {
    ":path": "/",
    host: "here",
    connection: "X-Mine, keep-alive",
    "x-mine": "1",
    "keep-alive": "1",
    "transfer-encoding": "chunked",
    te: "trailers",
    upgrade: "h2c",
    expect: "100-continue",
    "content-length": "3",
  };
  expect(forwardedHeaders(headers, none)).toEqual({ "content-length": "3" });
  expect(responseHeaders({ connection: "x-mine", "x-mine": "1", "set-cookie": ["a", "b"] })).toEqual({
    "set-cookie": ["a", "b"],
  });
});

it("sends the user, escaped if a header cannot contain it", () => {
  const extra = { "example.com/a%b": ["1", "é"], none: [] };
  const forwarded = identityHeaders({ name: "jané", uid: "u", groups: ["a", "b, c"], extra });
  expect(forwarded).toEqual({
    "x-remote-user": Buffer.from("jané").toString("latin1"),
    "x-remote-uid": "u",
    "x-remote-group": ["a", "b, c"],
    "X-Remote-Extra-example.com%2Fa%25b": ["1", Buffer.from("é").toString("latin1")],
  });
  expect(identityHeaders({ name: "", groups: [] })).toEqual({ "x-remote-user": "" });
});
