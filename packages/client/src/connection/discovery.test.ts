import { isForbidden } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { StubApi } from "../testing/stub-api.ts";
import { Connection } from "./connection.ts";
import { Discovery } from "./discovery.ts";

it("returns the server's version, and rejects if the server refuses the request", async () => {
  const version = { major: "1", minor: "37", gitVersion: "v1.37.2" };
  const refusal = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Forbidden", code: 403 };
  let answer: { readonly status: number; readonly body: object | string } = { status: 200, body: version };
  await using api = await StubApi.start(() => answer);
  await using connection = new Connection({ server: api.url });
  const discovery = new Discovery(connection);

  expect(await discovery.serverVersion()).toEqual(version);
  answer = { status: 403, body: refusal };
  await expect(discovery.serverVersion()).rejects.toSatisfy(isForbidden);
  answer = { status: 404, body: "404 page not found" };
  await expect(discovery.serverVersion()).rejects.toThrow("get the server's version");
});
