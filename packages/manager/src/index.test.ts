import { expect, it } from "vitest";
import * as http from "./http.ts";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "Cluster",
    "FlagError",
    "Manager",
    "Metrics",
    "isFlagError",
    "managerFlags",
    "ping",
    "run",
    "signalContext",
  ]);
});

it("exports these names under ./http", () => {
  expect(Object.keys(http).sort()).toEqual([
    "HttpServer",
    "RequestAuthenticator",
    "parseBindAddress",
    "refuserOf",
    "requestedAccess",
  ]);
});
