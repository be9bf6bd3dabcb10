import { once } from "node:events";
import { createServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net";
import { systemClock } from "@kubewright/clock";
import { expect, it } from "vitest";
import { StubApi } from "../testing/stub-api.ts";
import { stubCertificate } from "../testing/stub-http2.ts";
import { Connection } from "./connection.ts";
import { isConnectionError } from "./connection-error.ts";

const { key, cert } = stubCertificate;

async function listening(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() };
}

/** Makes a request and returns its error, without retries. */
async function failure(server: string, method: "GET" | "POST" = "GET"): Promise<Error> {
  const clock = { ...systemClock, sleep: () => Promise.reject(new Error("unexpected retry")) };
  await using connection = new Connection({ server, insecureSkipTlsVerify: true }, { clock });
  const request = { method, path: "/version", what: "get the version" };
  const error: unknown = await connection.request(request).catch((reason: unknown) => reason);
  if (!isConnectionError(error)) throw new Error("expected a ConnectionError", { cause: error });
  return error;
}

it("reports that https is required if the server closes plain connections without a message", async () => {
  await using server = await listening(createServer({ key, cert }));
  for (const method of ["GET", "POST"] as const)
    expect((await failure(`http://${server.host}`, method)).message).toBe(
      `get the version: ${method} http://${server.host}/version: ${server.host} uses HTTPS, not HTTP; use an address that begins with https:// (in a kubeconfig: clusters[].cluster.server)`,
    );
});

it("reports that https is required if the server answers plain requests like Go's servers", async () => {
  await using secure = await listening(createServer({ key, cert }));
  const refusal = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
  await using server = await listening(
    createTcpServer((socket) => {
      socket
        .on("error", () => {})
        .once("data", (first) => {
          if (first[0] !== 0x16) return socket.end(refusal);
          const onward = connect(Number(secure.host.split(":")[1]), "127.0.0.1").on("error", () => socket.destroy());
          onward.write(first);
          return socket.pipe(onward).pipe(socket);
        });
    }),
  );
  expect((await failure(`http://${server.host}`)).message).toContain(`${server.host} uses HTTPS, not HTTP`);
});

it("reports that a server does not use https", async () => {
  await using api = await StubApi.start(() => ({ body: "plain" }));
  const { host } = new URL(api.url);
  expect((await failure(`https://${host}`)).message).toBe(
    `get the version: GET https://${host}/version: ${host} does not use HTTPS; it responded in plain text: check the port, or use an address that begins with http:// if the server uses plain HTTP`,
  );
});

it("does not misreport servers that disconnect or refuse for other reasons", async () => {
  await using breaking = await listening(createTcpServer((socket) => socket.on("error", () => {}).destroy()));
  expect((await failure(`http://${breaking.host}`, "POST")).message).not.toContain("https,");
  await using api = await StubApi.start(() => (response) => void response.writeHead(400).end("no"));
  await using connection = new Connection({ server: api.url });
  expect((await connection.request({ path: "/" })).status).toBe(400);
});
