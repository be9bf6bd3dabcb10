import { expect, it } from "vitest";
import { refusalOf } from "./addressed.ts";

const local = { port: 8090, isLoopback: true, isSecure: false };
const beyond = { port: 8090, isLoopback: false, isSecure: true };
const notOurs = (host: string) => `the host "${host}" is not a host of this console`;
const otherOrigin = "the request comes from a page with a different origin";
const otherSite = "the request comes from a page on a different site";

it.each(["localhost", "LocalHost:1", "127.0.0.1:8090", "127.8.9.10", "[::1]:8090", "[::1]", "Shop.example.com:65535"])(
  "accepts %s, which cannot be redirected here or is a known host",
  (host) => {
    for (const listening of [local, beyond])
      expect(refusalOf({ headers: { host } }, listening, ["shop.Example.com"])).toBeUndefined();
  },
);

it.each([
  "",
  "evil.example",
  "127.0.0.1.evil.example",
  "127.evil.example:8090",
  "localhost.evil.example",
  "notlocalhost",
  "shop.example.com.evil.example",
  "example.com",
  "shop.example.com:",
  "shop.example.com:123456",
  "shop.example.com:80x",
  "evil.example@shop.example.com",
  "shop.example.com/evil",
  "evil.example shop.example.com",
  "shop.example.com:80:80",
  "[shop.example.com]",
  "[::1",
  "::1",
])("refuses the host %j on any listen address", (host) => {
  for (const listening of [local, beyond])
    expect(refusalOf({ headers: { host } }, listening, ["shop.example.com"])).toBe(notOurs(host));
});

it("accepts other IP addresses only on interfaces other than loopback, and requires a host", () => {
  for (const host of ["10.0.0.1:8090", "[2001:db8::1]:8090", "0.0.0.0", "[::]"]) {
    expect(refusalOf({ headers: { host } }, local, [])).toBe(notOurs(host));
    expect(refusalOf({ headers: { host } }, beyond, [])).toBeUndefined();
  }
  expect(refusalOf({ headers: {} }, beyond, [])).toBe(notOurs(""));
  expect(refusalOf({ headers: { host: "x".repeat(300) } }, local, [])).toBe(notOurs("x".repeat(100)));
});

it("requires its own origin: scheme, name and port", () => {
  const asked = (origin: string, listening = local) =>
    refusalOf({ headers: { host: "LocalHost:8090", origin } }, listening, []);
  expect([asked("http://localhost:8090"), asked("HTTP://LOCALHOST:8090")]).toEqual([undefined, undefined]);
  expect(asked("https://localhost:8090", beyond)).toBeUndefined();
  expect(asked("http://localhost:8090", beyond)).toBe(otherOrigin);
  for (const origin of ["https://localhost:8090", "http://localhost", "http://localhost:80901", "null", ""])
    expect([origin, asked(origin)]).toEqual([origin, otherOrigin]);
});

it("accepts requests by navigation or from its own page, and no others", () => {
  const asked = (site: string | undefined) =>
    refusalOf({ headers: { host: "localhost", "sec-fetch-site": site } }, local, []);
  for (const site of [undefined, "same-origin", "none"]) expect([site, asked(site)]).toEqual([site, undefined]);
  for (const site of ["same-site", "cross-site", "", "None", "none, none"])
    expect([site, asked(site)]).toEqual([site, otherSite]);
});
