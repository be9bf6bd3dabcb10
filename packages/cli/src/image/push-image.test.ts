import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testBase, writeBaseLayout } from "../testing/base-layout.ts";
import { FakeRegistry, type FakeRegistryOptions, fakeAuth } from "../testing/fake-registry.ts";
import { ProjectFolder } from "../testing/project-folder.ts";

let project: ProjectFolder;
beforeEach(() => {
  project = new ProjectFolder();
  mkdirSync(join(project.root, "src"));
  writeFileSync(join(project.root, "src/main.ts"), 'console.log("hello");\n');
  writeFileSync(join(project.root, "kubewright.json"), '{"name":"shop","domain":"example.com","version":"0.1.0"}');
  writeBaseLayout(join(project.root, "base"));
});
afterEach(() => project[Symbol.dispose]());

function login(host: string, auth = fakeAuth): void {
  mkdirSync(join(project.root, ".docker"), { recursive: true });
  writeFileSync(join(project.root, ".docker/config.json"), JSON.stringify({ auths: { [host]: { auth } } }));
}
const push = (registry: FakeRegistry, ...flags: string[]) =>
  project.run("image", "--push", "--tag", `${registry.host}/team/shop:v1`, ...flags);
const start = (options?: FakeRegistryOptions) => FakeRegistry.start(options);

it("pushes missing blobs with a token, the tag last, and nothing twice", async () => {
  await using registry = await start({ auth: "bearer" });
  login(registry.host);
  const first = await push(registry, "--base", "oci:base");
  expect(first.err).toBe("");
  expect(first.code).toBe(0);
  const [, digest = ""] =
    /@(sha256:[0-9a-f]{64}) {2}linux\/amd64, linux\/arm64\/v8 {2}5 blobs uploaded, 0 already present\n$/.exec(
      first.out,
    ) ?? [];
  const named = registry.manifests.get("team/shop@v1");
  expect(registry.manifests.get(`team/shop@${digest}`)).toBe(named);
  const { manifests } = JSON.parse(named?.bytes.toString() ?? "{}");
  for (const manifest of manifests) {
    const one = JSON.parse(registry.manifests.get(`team/shop@${manifest.digest}`)?.bytes.toString() ?? "{}");
    for (const blob of [one.config, ...one.layers]) expect(registry.blobs.get(blob.digest)?.length).toBe(blob.size);
  }
  expect(registry.requests.at(-1)).toBe("PUT /v2/team/shop/manifests/v1");
  expect(registry.scopes).toEqual([["repository:team/shop:pull,push"]]);
  expect((await push(registry, "--base", "oci:base")).out).toContain(
    `${digest}  linux/amd64, linux/arm64/v8  0 blobs uploaded, 5 already present`,
  );

  await project.run("image", "--base", "oci:base", "--output", "image.tar", "--tag", `${registry.host}/team/shop:v1`);
  expect((await project.run("image", "--base", "oci:base", "--json")).out).toContain(digest);
});

it("reads its base from a registry by digest, and mounts its blobs", async () => {
  await using registry = await start({ auth: "basic" });
  login(registry.host);
  const base = testBase();
  registry.add("base", base);
  const byTag = await push(registry, "--base", `${registry.host}/base:nonroot`);
  expect(byTag).toMatchObject({
    code: 2,
    err: expect.stringContaining(`pass ${registry.host}/base:nonroot@${base.root.digest}`),
  });
  const byDigest = `${registry.host}/base@${base.root.digest}`;
  const { code, out, err } = await push(registry, "--base", byDigest, "--output", "image.tar");
  expect([code, err]).toEqual([0, ""]);
  expect(out.split("\n")[1]).toContain("3 blobs uploaded, 2 already present");
  expect(JSON.stringify([...registry.manifests.values()].map(({ bytes }) => bytes.toString()))).toContain(byDigest);
  for (const digest of base.layers) registry.blobs.delete(digest);
  expect(await push(registry, "--base", byDigest)).toMatchObject({
    code: 1,
    err: expect.stringContaining("the registry responded with 404: UNKNOWN: there is none"),
  });
});

it("tries to mount blobs before it uploads them", async () => {
  await using registry = await start({
    intercept: ({ method, url = "" }, response) => {
      // Blobs of another repository: they exist in the registry, but not in this repository.
      if (method !== "HEAD") return false;
      response.writeHead(404).end();
      return url.includes("/blobs/");
    },
  });
  const base = testBase();
  registry.add("base", base);
  expect((await push(registry, "--base", `${registry.host}/base@${base.root.digest}`)).out).toContain(
    "3 blobs uploaded, 2 already present",
  );
  expect(registry.requests.filter((one) => one.endsWith("?mount"))).toHaveLength(2);
});

it("reports the refused user and the configuration file", async () => {
  const file = join(project.root, ".docker/config.json");
  for (const auth of ["basic", "bearer"] as const) {
    await using registry = await start({ auth });
    writeFileSync(join(project.root, "kubewright.json"), '{"name":"shop","domain":"example.com","version":"0.1.0"}');
    login("other.example.com");
    const { host } = registry;
    const without = await push(registry, "--base", "oci:base");
    expect(without.code).toBe(1);
    expect(without.err).toMatch(
      /^127\.0\.0\.1:\d+ responded with 401 to HEAD \/v2\/team\/shop\/blobs\/sha256:[0-9a-f]+ without credentials: /,
    );
    expect(without.err).toContain(`${file} contains none for "${host}"; run docker login ${host}\n`);
    login(host, Buffer.from("joe:wrong").toString("base64"));
    const wrong = await push(registry, "--base", "oci:base");
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringContaining(`as "joe" of ${file}; run docker login ${host}\n`),
    ]);
    expect(wrong.err).not.toContain("wrong");
    writeFileSync(file, JSON.stringify({ credHelpers: { [host]: "vault" } }));
    expect((await push(registry, "--base", "oci:base")).err).toContain(
      "(credential helpers such as docker-credential-vault are not supported)",
    );
    writeFileSync(file, `{"auths":{"${host}":{"auth":x"${fakeAuth}"}}}`);
    const broken = await push(registry, "--base", "oci:base");
    expect(broken.err).toMatch(/config\.json: cannot be read: not valid JSON( \(line \d+ column \d+\))?\n$/);
    writeFileSync(file, "{");
    expect(await push(registry, "--base", "oci:base")).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${file}: cannot be read`),
    });
  }
});

it("verifies everything from a registry, and limits how much it reads", async () => {
  const base = testBase();
  let answer: FakeRegistryOptions["intercept"];
  await using registry = await start({ intercept: (request, response) => answer?.(request, response) ?? false });
  registry.add("base", base);
  const pull = () => project.run("image", "--base", `${registry.host}/base@${base.root.digest}`);
  const named = new RegExp(`/manifests/${base.root.digest}$`);
  answer = ({ url = "" }, response) => {
    if (!named.test(url)) return false;
    response.writeHead(200, { "content-type": "application/vnd.oci.image.index.v1+json" }).end('{"manifests":[]}');
    return true;
  };
  expect((await pull()).err).toMatch(
    new RegExp(`${base.root.digest}: the digest of the content is sha256:[0-9a-f]{64}\n$`),
  );
  answer = ({ url = "" }, response) => {
    if (!named.test(url)) return false;
    response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024, 32));
    return true;
  };
  expect((await pull()).err).toContain("is larger than 4194304 bytes");
  answer = ({ url = "" }, response) => {
    response.writeHead(307, { location: `${url}x` }).end();
    return true;
  };
  expect((await pull()).err).toContain("too many redirects (more than 5)");
  answer = (_request, response) => {
    response.writeHead(307, { location: "http://registry.example.com/x" }).end();
    return true;
  };
  expect((await pull()).err).toContain(
    "http://registry.example.com/x: only https is supported, except on this machine",
  );
  answer = ({ url = "" }, response) => {
    if (!url.includes("/blobs/")) return false;
    response.writeHead(200, { "content-length": 3 }).end("abc");
    return true;
  };
  expect((await pull()).err).toContain("ended after 3 of");
  answer = (_request, response) => {
    response.writeHead(401, { "www-authenticate": 'Bearer realm="http://tokens.example.com/"' }).end();
    return true;
  };
  expect((await pull()).err).toContain("http://tokens.example.com/: only https is supported");
  const forged = JSON.stringify({ errors: [{ code: "A", message: "no\npushed x as y\r\u001b[1A" }] });
  answer = (_request, response) => Boolean(response.writeHead(400).end(forged));
  expect((await pull()).err).toMatch(/ responded with 400: A: no; pushed x as y; \\u001b\[1A\n$/);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  answer = (_request, response) => {
    response.once("close", resolve).writeHead(401);
    const more = (): boolean => !response.destroyed && response.write(Buffer.alloc(65_536)) && more();
    response.on("drain", more);
    more();
    return true; // and never ends
  };
  expect((await pull()).err).toContain("responded with 401");
  await closed;
  answer = () => true; // and says nothing
  const slow = await project.run("image", "--base", `${registry.host}/base@${base.root.digest}`, "--timeout", "200ms");
  expect(slow).toMatchObject({ code: 1, err: "image: did not finish within 200ms; set a longer --timeout\n" });
  answer = (_request, response) => {
    response.socket?.destroy();
    return true;
  };
  expect(await pull()).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      `${registry.host} cannot be reached: .*; to work without network access, use --base oci:FOLDER and --output FILE`,
    ),
  });
});
