import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { loadAssets } from "./assets.ts";
import { webFiles } from "./web-files.ts";

const budget = 90 * 1_024;

it("is small, and loads no external resources", async () => {
  const assets = await loadAssets();
  expect([...assets.keys()].sort()).toEqual(["/", "/app.css", "/app.js", "/icon.svg"]);
  let total = 0;
  for (const { body } of assets.values()) {
    expect(body.length).toBeGreaterThan(0);
    total += gzipSync(body).length;
  }
  console.log(`the front end is ${total} bytes gzipped, of ${budget}`);
  expect(total).toBeLessThanOrEqual(budget);
  const css = String(assets.get("/app.css")?.body);
  expect(css).not.toMatch(/@import|url\(/);
  expect(String(assets.get("/")?.body)).not.toMatch(/https?:\/\//);
});

it("is identical in the module of the published package", async () => {
  const builder = new URL("../../web/bundle.ts", import.meta.url).href;
  const { moduleOf } = await import(builder);
  const text = moduleOf(await webFiles());
  const { webFiles: published } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  expect(await published()).toEqual(await webFiles());
});
