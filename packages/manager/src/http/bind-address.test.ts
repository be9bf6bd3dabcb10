import { expect, it } from "vitest";
import { parseBindAddress } from "./bind-address.ts";

it("accepts a host and a port, a port of every interface, or none", () => {
  expect(parseBindAddress("0")).toBeUndefined();
  expect(parseBindAddress("")).toBeUndefined();
  expect(parseBindAddress(":8080")).toEqual({ port: 8_080 });
  expect(parseBindAddress(":0")).toEqual({ port: 0 });
  expect(parseBindAddress("127.0.0.1:65535")).toEqual({ host: "127.0.0.1", port: 65_535 });
  expect(parseBindAddress("[::1]:1")).toEqual({ host: "::1", port: 1 });
});

it("refuses any other text, and reports the expected form", () => {
  for (const address of [
    "8080",
    "a",
    "a:",
    ":",
    ":65536",
    ":123456",
    "::1:80",
    "[]:80",
    "a:80x",
    "a:-1",
    "a:80 ",
    "a:8\n",
  ])
    expect(() => parseBindAddress(address)).toThrow(`cannot listen on "${address}": use "host:port", ":port" or "0"`);
});
