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
  const found = isEtcdStandIn(url, AbortSignal.timeout(60_000));
  const ended = runEtcd([`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`], { ...io, err }, stop.signal);
  await isUp;
  expect(await bodyOf(`${url}/health`)).toBe('{"health":"true","reason":""}');
  expect(JSON.parse(await bodyOf(`${url}/version`))).toMatchObject({ etcdserver: "3.6.8" });
  expect(await found, "asked before it listened").toBe(true);
  expect(await isEtcdStandIn(url, AbortSignal.abort())).toBe(true);
  stop.abort();
  expect(await ended).toBe(0);
  expect(await isEtcdStandIn(url, AbortSignal.abort())).toBe(false);
});

it("prints help and version, in either of Go's notations", async () => {
  for (const flag of ["-h", "--help"]) expect((await run(flag)).out).toMatch(/^ {2}--listen-client-urls 'http/m);
  for (const flag of ["-version", "--version"]) expect((await run(flag)).out).toMatch(/^etcd Version: 3\.6\.8$/m);
});

it("accepts any flag, and uses the last address", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = ["--unsafe-no-fsync", "-data-dir", "/d", "--nosuch=1", "--listen-client-urls=http://127.0.0.1:1"];
  const { code, err } = await run(...flags, "-listen-client-urls", `http://${address}`);
  expect([code, JSON.parse(err)]).toMatchObject([0, { address }]);
});

it.each(["foo", "https://127.0.0.1:1", ""])("refuses the address '%s'", async (url) => {
  const { code, err } = await run(`--listen-client-urls=${url}`);
  expect([code, JSON.parse(err).error]).toEqual([1, `--listen-client-urls: "${url}" is not an http URL`]);
});
