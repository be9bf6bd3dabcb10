import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readDockerConfig } from "./docker-config.ts";

function home(): string {
  const path = mkdtempSync(join(tmpdir(), "kubewright-docker-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  mkdirSync(join(path, ".docker"));
  return path;
}
function config(value: unknown) {
  const HOME = home();
  writeFileSync(join(HOME, ".docker/config.json"), typeof value === "string" ? value : JSON.stringify(value));
  return readDockerConfig({ HOME });
}
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const joe = { username: "joe", password: "s:3cret" };

it("finds a host under each of docker's names, and uses no other host's credentials", () => {
  const auth = base64("joe:s:3cret");
  const host = "registry.example.com:5000";
  for (const key of [host, `https://${host}`, `http://${host}`, `https://${host}/v1/`, `https://${host}/v2/`])
    expect([key, config({ auths: { [key]: { auth } } }).credentials(host)]).toEqual([key, joe]);
  for (const key of ["example.com", "registry.example.com", `${host}/shop`, `evil.${host}`, "toString", "__proto__"])
    expect([key, config({ auths: { [key]: { auth } } }).credentials(host)]).toEqual([key, undefined]);
  for (const inherited of ["toString", "constructor"])
    expect(config({ auths: {}, credHelpers: {} }).credentials(inherited)).toBeUndefined();
  for (const hub of ["docker.io", "index.docker.io", "registry-1.docker.io"])
    for (const key of ["https://index.docker.io/v1/", "docker.io", "index.docker.io"])
      expect(config({ auths: { [key]: { auth } } }).credentials(hub)).toEqual(joe);
  expect(config({ auths: { "docker.io": { auth } } }).credentials("notdocker.io")).toBeUndefined();
});

it("reads user and password, plain or in base64, and refresh tokens", () => {
  const of = (entry: unknown) => config({ auths: { h: entry } }).credentials("h");
  expect(of(joe)).toEqual(joe);
  expect(of({ ...joe, auth: base64("other:x") })).toEqual(joe);
  expect(of({ auth: base64("joe:s:3cret\0\0") })).toEqual(joe);
  expect(of({ auth: base64("joe:") })).toEqual({ username: "joe", password: "" });
  expect(of({ auth: base64("joe:x"), identitytoken: "t" })).toEqual({
    username: "joe",
    password: "x",
    identityToken: "t",
  });
  expect(of({ identitytoken: "t" })).toEqual({ username: "", password: "", identityToken: "t" });
  for (const none of [{}, { auth: "" }, { auth: 1 }, { username: "joe" }, { identitytoken: "" }, "x", null, []])
    expect([none, of(none)]).toEqual([none, undefined]);
  for (const auth of ["joe", ":secret", ""].slice(0, 2).map(base64))
    expect(() => of({ auth })).toThrow('config.json: auths: "h": auth: must be user:password in base64');
});

it("returns the credential helper of a host, without running it", () => {
  const { helper } = config({ credHelpers: { h: "vault", e: "" }, credsStore: "desktop" });
  expect(["h", "other", "toString"].map(helper)).toEqual([
    ...["docker-credential-vault", "docker-credential-desktop", "docker-credential-desktop"],
  ]);
  expect(helper("e")).toBeUndefined();
  for (const none of [{}, { credsStore: 1 }, { credHelpers: { h: 1 } }, { credHelpers: [] }])
    expect(config(none).helper("h")).toBeUndefined();
});

it("reads docker's configuration file, which may be missing", () => {
  const HOME = home();
  const DOCKER_CONFIG = home();
  expect(readDockerConfig({ HOME }).path).toBe(join(HOME, ".docker/config.json"));
  expect(readDockerConfig({ HOME, DOCKER_CONFIG: "" }).path).toBe(join(HOME, ".docker/config.json"));
  const other = readDockerConfig({ HOME, DOCKER_CONFIG });
  expect([other.path, other.credentials("h"), other.helper("h")]).toEqual([
    join(DOCKER_CONFIG, "config.json"),
    undefined,
    undefined,
  ]);
});

it("refuses a file that is too large or not valid JSON, without printing its content", () => {
  const text = (() => {
    try {
      config('{"auths":{"h":{"auth":x"hunter2"}}}');
    } catch (error) {
      return String(error);
    }
    return expect.unreachable();
  })();
  expect(text).toMatch(/config\.json: cannot be read: not valid JSON/);
  expect(text).not.toContain("hunter");
  expect(() => config(" ".repeat(1024 * 1024 + 1))).toThrow("config.json: the file is larger than 1048576 bytes");
  expect(config(`${" ".repeat(1024 * 1024 - 2)}{}`).credentials("h")).toBeUndefined();
  for (const value of ["null", "[]", '"x"', "1"]) expect(config(value).credentials("h")).toBeUndefined();
});
