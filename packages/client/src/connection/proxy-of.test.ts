import { describe, expect, it } from "vitest";
import { proxyOf } from "./proxy-of.ts";

const via = (server: string, env: Record<string, string>): string | undefined => proxyOf({ server }, env);

describe("the proxy of an API server", () => {
  it("is that of the settings, regardless of the environment", () => {
    const env = { HTTPS_PROXY: "http://other:1", NO_PROXY: "*" };
    expect(proxyOf({ server: "https://api:6443", proxyUrl: "http://mine:3128" }, env)).toBe("http://mine:3128");
    expect(proxyOf({ server: "https://127.0.0.1:6443", proxyUrl: "socks5://mine:1080" }, env)).toBe(
      "socks5://mine:1080",
    );
  });

  it("is that of the environment for the server's scheme, upper case first", () => {
    const env = { HTTPS_PROXY: "http://a:1", https_proxy: "http://b:1", http_proxy: "http://c:1", HTTP_PROXY: "" };
    expect(via("https://api:6443", env)).toBe("http://a:1");
    expect(via("https://api:6443", { ...env, HTTPS_PROXY: "" })).toBe("http://b:1");
    expect(via("http://api:8080", env)).toBe("http://c:1");
    expect(via("http://api:8080", { HTTPS_PROXY: "http://a:1" })).toBeUndefined();
    expect(via("https://api:6443", { HTTP_PROXY: "http://a:1" })).toBeUndefined();
  });

  it.each([
    ["proxy.corp:3128", "http://proxy.corp:3128"],
    ["10.0.0.1", "http://10.0.0.1"],
    ["https://u:p@proxy:3129", "https://u:p@proxy:3129"],
    ["socks5h://proxy:1080", "socks5://proxy:1080"],
  ])("may be written as %s", (value, url) => {
    expect(via("https://api:6443", { HTTPS_PROXY: value })).toBe(url);
  });

  it.each(["ftp://u:secret@proxy:21", "http://"])("must be a URL: %s", (value) => {
    const env = { HTTPS_PROXY: value };
    expect(() => via("https://api:6443", env)).toThrow(/^HTTPS_PROXY ".*" is not a valid proxy URL: use http:/);
    expect(() => via("https://api:6443", env)).not.toThrow("secret");
    expect(() => proxyOf({ server: "https://api", proxyUrl: value })).toThrow(
      /^proxyUrl ".*" is not a valid proxy URL/,
    );
  });

  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.1", "[::1]", "[::ffff:127.0.0.1]"])(
    "does not apply to %s",
    (host) => {
      expect(via(`https://${host}:6443`, { HTTPS_PROXY: "http://p:1" })).toBeUndefined();
    },
  );

  it.each<[string, readonly string[], readonly string[]]>([
    ["*", ["api.corp", "10.0.0.1"], []],
    ["api.corp", ["api.corp", "API.corp", "eu.api.corp"], ["xapi.corp", "corp", "api.corp.example"]],
    [".api.corp", ["eu.api.corp"], ["api.corp"]],
    ["*.api.corp", ["eu.api.corp"], ["api.corp"]],
    ["api.corp:6443", ["api.corp"], []],
    ["api.corp:443", [], ["api.corp"]],
    ["10.96.0.1", ["10.96.0.1", "[::ffff:10.96.0.1]"], ["10.96.0.10"]],
    ["10.96.0.1:443", [], ["10.96.0.1"]],
    ["10.96.0.0/12", ["10.96.0.1", "10.111.255.255"], ["10.112.0.1", "api.corp"]],
    ["fd00::/8", ["[fd00::1]"], ["[fe80::1]", "10.0.0.1"]],
    ["[fd00::1]:6443", ["[fd00::1]"], ["[fd00::2]"]],
    ["fd00::1", ["[fd00::1]"], ["[fd00::2]"]],
    ["10.96.0.0/99, ,:443,  Api.Corp ", ["api.corp"], ["10.96.0.1"]],
    ["", [], ["api.corp", "10.0.0.1"]],
  ])("is excluded by NO_PROXY %j", (noProxy, direct, proxied) => {
    for (const name of ["NO_PROXY", "no_proxy"]) {
      const env = { HTTPS_PROXY: "http://p:1", [name]: noProxy };
      for (const host of direct) expect([host, via(`https://${host}:6443`, env)]).toEqual([host, undefined]);
      for (const host of proxied) expect([host, via(`https://${host}:6443`, env)]).toEqual([host, "http://p:1"]);
    }
    expect(via("https://api.corp", { HTTPS_PROXY: "http://p:1", NO_PROXY: "api.corp:443" })).toBeUndefined();
  });
});
