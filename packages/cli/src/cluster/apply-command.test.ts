import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, expect, it } from "vitest";
import { main } from "../main.ts";
import { recordedIo } from "../testing/recorded-io.ts";

let env: Environment;
let client: Client;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-apply-"));
  env = await Environment.start({});
  client = new Client({ connection: env.connection() });
  writeFileSync(join(folder, "kubeconfig"), env.kubeconfig(), { mode: 0o600 });
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function apply(stdin: string, ...flags: string[]) {
  const io = {
    ...recordedIo(),
    cwd: folder,
    stdin: (async function* () {
      yield stdin;
    })(),
  };
  const code = await main(["apply", "--kubeconfig", "kubeconfig", ...flags], io);
  return { code, ...io.written };
}
const map = (name: string, data = "{}"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: ${data}\n`;

it("applies files and standard input, and prints each result", async () => {
  writeFileSync(join(folder, "a.yaml"), map("from-file"));
  expect(await apply(map("from-stdin"), "-f", "a.yaml", "-f", "-")).toEqual({
    code: 0,
    out: "configmap/from-file in default applied\nconfigmap/from-stdin in default applied\n",
    err: "",
  });
  expect((await client.list(ConfigMap, { namespace: "default" })).map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(["from-file", "from-stdin"]),
  );
  expect((await apply(map("from-stdin"), "-f", "-", "--quiet")).out).toBe("");
  expect(JSON.parse((await apply(map("from-stdin"), "-f", "-", "--json", "--dry-run")).out)).toEqual({
    items: [{ outcome: "applied", name: "configmap/from-stdin in default", source: "standard input" }],
  });
});

it("exits with 1 if one document fails, and applies the others", async () => {
  const { code, out, err } = await apply([map("good-1"), "a: [\n", map("good-2")].join("---\n"), "-f", "-");
  expect(code).toBe(1);
  expect(out.split("\n")).toHaveLength(3);
  expect(err).toMatch(/^standard input, document 2: /);
});

it("explains conflicts, and forces them on request", async () => {
  await client.create(
    ConfigMap,
    { metadata: { name: "owned", namespace: "default" }, data: { a: "1" } },
    { fieldOwner: "somebody" },
  );
  const { code, err } = await apply(map("owned", '{a: "2"}'), "-f", "-");
  expect(code).toBe(1);
  expect(err).toMatch(/"somebody" using v1.* owns \.data\.a/);
  expect((await apply(map("owned", '{a: "2"}'), "-f", "-", "--force-conflicts")).code).toBe(0);
});

it("prunes with an applyset, unless a file could not be read", async () => {
  const flags = ["-f", "-", "--prune", "--applyset", "mine"];
  await apply(`${map("p-1")}---\n${map("p-2")}`, ...flags);
  expect((await apply(`${map("p-1")}---\n[`, ...flags)).err).toContain("pruning skipped");
  expect((await apply(map("p-1"), ...flags)).out).toContain("configmap/p-2 in default pruned");
});

it("exits with 2 for conflicting flags, and with 3 without a cluster", async () => {
  expect(await apply("")).toMatchObject({
    code: 2,
    err: "nothing to apply; pass -f or -k, such as -f config/samples\n",
  });
  expect(await apply("", "-f", "-", "--prune")).toMatchObject({ code: 2 });
  expect(await apply("", "-f", "-", "--timeout", "long")).toMatchObject({
    code: 2,
    err: '--timeout "long" is not a duration of at most 24h, such as 90s or 5m\n',
  });
  expect(await apply("", "--nosuch")).toMatchObject({ code: 2, err: "error: unknown option '--nosuch'\n" });
  const io = { ...recordedIo({ HOME: folder }), cwd: folder };
  expect(await main(["apply", "-f", "a.yaml"], io)).toBe(3);
  expect(io.written.err).toContain("no cluster is configured");
  writeFileSync(join(folder, "dead"), env.kubeconfig().replace(/https:\/\/127\.0\.0\.1:\d+/, "https://127.0.0.1:1"));
  const dead = { ...recordedIo(), cwd: folder };
  expect(await main(["apply", "-f", "a.yaml", "--kubeconfig", "dead"], dead)).toBe(3);
});
