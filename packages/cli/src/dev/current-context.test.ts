import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { CommandContext } from "../command/context.ts";
import { currentContext, isLocal, pinned } from "./current-context.ts";

it("recognizes local clusters by address or context name", () => {
  const far = "https://10.0.0.1:6443";
  for (const server of ["https://127.0.0.1:6443", "https://127.9.9.9", "http://localhost:1", "https://[::1]:6443"])
    expect([server, isLocal("prod", server)]).toEqual([server, true]);
  const others = [
    "https://127.corp.example",
    "https://127.0.0.1.evil.example:6443",
    "https://localhost.example",
    "https://[::2]",
  ];
  for (const server of [far, ...others]) expect([server, isLocal("prod", server)]).toEqual([server, false]);
  const tools = [
    "kind-a",
    "k3d-a",
    "minikube",
    "minikube-2",
    "docker-desktop",
    "rancher-desktop",
    "orbstack",
    "colima",
  ];
  for (const context of tools) expect([context, isLocal(context, far)]).toEqual([context, true]);
  for (const context of ["", "kind", "my-kind-a", "minikubes", "docker-desktop-prod", "orbstack2", "prod"])
    expect([context, isLocal(context, far)]).toEqual([context, false]);
});

function start(files: Readonly<Record<string, string>>) {
  const cwd = mkdtempSync(join(tmpdir(), "kubewright-context-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  mkdirSync(join(cwd, ".kube"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const context = (KUBECONFIG?: string): Pick<CommandContext, "io" | "cwd"> => ({
    cwd,
    io: { out: () => {}, err: () => {}, env: { HOME: cwd, ...(KUBECONFIG === undefined ? {} : { KUBECONFIG }) } },
  });
  return { context, at: (name: string) => join(cwd, name) };
}
const naming = (name: string): string => `current-context: ${name}\n`;

it("comes from the first file that sets it: of the flag, KUBECONFIG or the home folder", () => {
  const { context, at } = start({
    ".kube/config": naming("home"),
    a: "{}",
    b: naming("b"),
    c: naming("c"),
    e: "current-context: ''",
  });
  expect(currentContext(context(), {})).toEqual({ name: "home", files: [at(".kube/config")] });
  expect(currentContext(context(""), {})).toMatchObject({ name: "home" });
  const listed = ["a", "none", "e", "b", "c"].join(delimiter);
  expect(currentContext(context(listed), {})).toEqual({ name: "b", files: ["a", "e", "b", "c"].map(at) });
  expect(currentContext(context(listed), { kubeconfig: "c" })).toEqual({ name: "c", files: [at("c")] });
});

it("reports the files without a current context, and unreadable ones", () => {
  const { context, at } = start({ a: "{}", broken: "{" });
  expect(() => currentContext(context(), {})).toThrow("--cluster current: ");
  expect(() => currentContext(context(), {})).toThrow("sets no current context");
  expect(() => currentContext(context("a"), {})).toThrow("--cluster current: a sets no current context");
  expect(() => currentContext(context("broken"), {})).toThrow(`${at("broken")} cannot be read: `);
});

it("is pinned for a program by an extra kubeconfig", () => {
  const { at } = start({});
  const path = at("pinned");
  expect(pinned({ name: "a: b", files: ["/x", "/y"] }, path)).toBe([path, "/x", "/y"].join(delimiter));
  expect(readFileSync(path, "utf8")).toContain('current-context: "a: b"\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
