import { get } from "node:http";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { isEtcdStandIn } from "../kube-apiserver/etcd-stand-in.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { runEtcd } from "./run.ts";

async function run(...argv: string[]) {
  const io = recordedIo();
  return { code: await runEtcd(argv, io, AbortSignal.abort()), ...io.written };
}

const freePort = (): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
};

const bodyOf = (url: string): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(url, { agent: false }, (response) => {
    response.setEncoding("utf8").on("data", resolve);
  }).on("error", reject);
  return promise;
};

it("is healthy, and recognized by the stand-in for kube-apiserver, until it is stopped", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const io = recordedIo();
  const stop = new AbortController();
  const { promise: isUp, resolve: up } = Promise.withResolvers<void>();
  const err = (text: string): void => {
    io.err(text);
    if (text.includes("serving client traffic")) up();
  };
  const ended = runEtcd([`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`], { ...io, err }, stop.signal);
  await isUp;
  expect(await bodyOf(`${url}/health`)).toBe('{"health":"true","reason":""}');
  expect(JSON.parse(await bodyOf(`${url}/version`))).toMatchObject({ etcdserver: "3.6.8" });
  expect(await isEtcdStandIn(url)).toBe(true);
  stop.abort();
  expect(await ended).toBe(0);
  expect(await isEtcdStandIn(url)).toBe(false);
});

it("lists its flags like etcd, for envtest", async () => {
  expect((await run("--help")).out).toMatch(/^ {2}--unsafe-no-fsync 'false'$/m);
});

it("refuses errors like etcd", async () => {
  const unknown = await run("--nosuch");
  expect([unknown.code, unknown.err.split("\n")[0]]).toEqual([2, "flag provided but not defined: -nosuch"]);
  const stray = await run("foo");
  expect([stray.code, JSON.parse(stray.err)]).toMatchObject([1, { error: '"foo" is not a valid flag' }]);
  const alone = await run("--listen-client-urls=http://127.0.0.1:1");
  expect(JSON.parse(alone.err).error).toBe(
    "--advertise-client-urls is required when --listen-client-urls is set explicitly",
  );
});
