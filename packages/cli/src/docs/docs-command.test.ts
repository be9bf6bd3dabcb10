import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../main.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { siteFolder } from "./docs-command.ts";
import { serveSite } from "./site-server.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "docs-"));
  const site = join(project, "node_modules/@kubewright/docs/site");
  mkdirSync(join(site, "guide"), { recursive: true });
  writeFileSync(join(site, "../package.json"), '{ "name": "@kubewright/docs", "version": "0.1.0" }');
  writeFileSync(join(site, "index.html"), "home");
  writeFileSync(join(site, "guide/a.html"), "page a");
  writeFileSync(join(site, "404.html"), "nowhere");
  writeFileSync(join(project, "node_modules/secret.html"), "secret");
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Sends the path unchanged; fetch would normalize it. */
function get(url: string, path: string, more: { method?: string; host?: string } = {}) {
  const { port } = new URL(url);
  const answered = Promise.withResolvers<{ status: number | undefined; type: string | undefined; body: string }>();
  const headers = { host: more.host ?? `127.0.0.1:${port}` };
  request({ host: "127.0.0.1", port, path, method: more.method ?? "GET", headers, agent: false }, (response) => {
    let body = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    const { statusCode: status, headers } = response;
    response.on("end", () => answered.resolve({ status, type: headers["content-type"], body }));
  })
    .on("error", answered.reject)
    .end();
  return answered.promise;
}

it("serves the pages of the project's package", async () => {
  await using server = await serveSite(siteFolder(project), 0);
  expect(await get(server.url, "/")).toEqual({ status: 200, type: "text/html; charset=utf-8", body: "home" });
  expect(await get(server.url, "/guide/a?q=1")).toMatchObject({ status: 200, body: "page a" });
  expect(await get(server.url, "/guide/a.html")).toMatchObject({ status: 200, body: "page a" });
  expect(await get(server.url, "/guide/b")).toMatchObject({ status: 404, body: "nowhere" });
  expect(await get(server.url, "/guide")).toMatchObject({ status: 404 });
  expect(await get(server.url, "/guide/a", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
});

it.each([
  ["/../../../secret.html", {}, 400],
  ["/%2e%2e/%2e%2e/%2e%2e/secret.html", {}, 400],
  ["/..%5c..%5csecret.html", {}, 400],
  ["/a%00b", {}, 400],
  ["/%zz", {}, 400],
  [`/${"a".repeat(4_000)}`, {}, 404],
  ["/", { host: "evil.example.com" }, 403],
  ["/", { method: "POST" }, 405],
])("refuses %s %o", async (path, more, status) => {
  await using server = await serveSite(siteFolder(project), 0);
  const answer = await get(server.url, path, more);
  expect(answer.status).toBe(status);
  expect(answer.body).not.toContain("secret");
});

it("reports what is missing, with the remedy", async () => {
  rmSync(join(project, "node_modules/@kubewright/docs/site"), { recursive: true });
  const run = async (...argv: string[]) => {
    const io = { ...recordedIo(), cwd: project };
    return { code: await main(["docs", ...argv], io), err: io.written.err };
  };
  expect(await run()).toEqual({
    code: 1,
    err: expect.stringContaining("the documentation is not built; run npm run docs"),
  });
});

it("reports an invalid --port", async () => {
  const io = { ...recordedIo(), cwd: project };
  expect(await main(["docs", "--port", "70000"], io)).toBe(2);
  expect(io.written.err).toBe('--port "70000" is not a number from 0 to 65535\n');
});

it("reports a port in use", async () => {
  await using server = await serveSite(siteFolder(project), 0);
  const { port } = new URL(server.url);
  const io = { ...recordedIo(), cwd: project };
  expect(await main(["docs", "--port", port], io)).toBe(1);
  expect(io.written.err).toBe(`127.0.0.1:${port} cannot be used (EADDRINUSE); choose another --port\n`);
});
