import { expect, it } from "vitest";
import { callOf, type InProcessRequest, jsonResponse } from "./api-call.ts";
import { RequestFaults } from "./request-faults.ts";

const newFaults = () => new RequestFaults({ pause: async () => {}, note: () => {} });

/** Sends a request through faults. @returns its path as the API server receives it, and the status of the response */
async function sent(faults: RequestFaults, path: string, method = "GET", write = "") {
  let received = "";
  const handle = async (request: InProcessRequest) => {
    received = request.path;
    return jsonResponse(200, {});
  };
  const request = { method, path, headers: {} };
  const { status } = await (faults.handlerFor(callOf(request), handle, write) ?? handle)(request);
  return { received, status };
}

it.each([
  ["?resourceVersion=0", "?resourceVersion=70&resourceVersionMatch=Exact"],
  ["?resourceVersion=50", "?resourceVersion=70&resourceVersionMatch=Exact"],
  ["?resourceVersion=90&resourceVersionMatch=NotOlderThan", "?resourceVersion=90&resourceVersionMatch=Exact"],
  // Consistent on every API server.
  ["", ""],
  ["?resourceVersion=60&resourceVersionMatch=Exact", "?resourceVersion=60&resourceVersionMatch=Exact"],
  ["?resourceVersion=60&limit=5", "?resourceVersion=60&limit=5"],
  ["?limit=5&continue=abc", "?limit=5&continue=abc"],
])("answers the list pods%s of an API server whose cache is at version 70 as %s", async (query, expected) => {
  const faults = newFaults();
  const end = faults.lag("pods", 70);
  expect((await sent(faults, `/api/v1/pods${query}`)).received).toBe(`/api/v1/pods${expected}`);
  end();
  expect((await sent(faults, `/api/v1/pods${query}`)).received).toBe(`/api/v1/pods${query}`);
});

it("refuses lists as streams at an old API server", async () => {
  const faults = newFaults();
  const path = "/api/v1/pods?watch=true&sendInitialEvents=true";
  const end = faults.lag("pods", 70, { isOldServer: true });
  expect((await sent(faults, path)).status).toBe(422);
  expect((await sent(faults, path.replace("pods", "nodes"))).status).toBe(200);
  end();
  expect((await sent(faults, path)).status).toBe(200);
});

it("loses the changes that a lag held back if it ends with a new list", async () => {
  const faults = newFaults();
  const request = { method: "GET", path: "/api/v1/pods?watch=true", headers: {} };
  const events = async function* () {
    yield Buffer.from("first");
    yield Buffer.from("second");
  };
  const handle = async () => ({ ...jsonResponse(200, {}), body: events() });
  const response = await faults.handlerFor(callOf(request), handle)?.(request);
  const iterator = response?.body[Symbol.asyncIterator]();
  expect(await iterator?.next()).toEqual({ done: false, value: Buffer.from("first") });
  const end = faults.lag("pods", 70);
  const next = iterator?.next();
  end(true);
  await expect(next).rejects.toThrow("dropped the connection");
  expect((await sent(faults, request.path)).status).toBe(410);
  expect((await sent(faults, request.path)).status).toBe(200);
});

it("kills the process at the write that was chosen", async () => {
  const faults = newFaults();
  const killed: string[] = [];
  faults.killAt(
    (write) => write === "write 2 of pods",
    "after",
    (write) => void killed.push(write),
  );
  await sent(faults, "/api/v1/namespaces/a/events", "POST", "write 2 of pods");
  await sent(faults, "/api/v1/namespaces/a/pods", "POST", "write 1 of pods");
  expect(killed).toEqual([]);
  for (let times = 0; times < 2; times++) await sent(faults, "/api/v1/namespaces/a/pods", "POST", "write 2 of pods");
  expect(killed).toEqual(["write 2 of pods"]);
});

it("lets only writes of existing objects conflict", async () => {
  const faults = newFaults();
  faults.arm({ failure: "conflict", afterEffect: false, writesOnly: true }, 1);
  expect((await sent(faults, "/api/v1/namespaces/a/pods", "POST")).status).toBe(200);
  expect((await sent(faults, "/api/v1/namespaces/a/pods/b", "DELETE")).status).toBe(200);
  expect((await sent(faults, "/api/v1/namespaces/a/pods/b", "PUT")).status).toBe(409);
  expect((await sent(faults, "/api/v1/namespaces/a/pods/b", "PUT")).status).toBe(200);
});
