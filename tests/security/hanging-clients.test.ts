import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { ApiServer } from "@kubewright/kube-apiserver";
import { afterEach, beforeEach, expect, it } from "vitest";

const configMaps = "/api/v1/namespaces/default/configmaps";

let server: ApiServer;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubewright-hanging-"));
  server = await ApiServer.start({ auditLogPath: join(folder, "audit.log") });
});
afterEach(() => rm(folder, { recursive: true }));

function credentials() {
  const { caData = "", certData = "", keyData = "" } = server.connection();
  return { ca: caData, cert: certData, key: keyData };
}

async function secured(): Promise<TLSSocket> {
  const socket = connectTls({ host: "127.0.0.1", port: server.port, ...credentials(), ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => {}); // the server ends it
  await once(socket, "secureConnect");
  return socket;
}

it("a server stops although its clients neither send the rest nor read anything", { timeout: 30_000 }, async () => {
  const session = connectHttp2(server.url, { ...credentials(), settings: { initialWindowSize: 0 } });
  session.on("error", () => {}); // the server ends it
  const ask = (headers: Readonly<Record<string, string>>) => session.request(headers).on("error", () => {});
  const filling = "x".repeat(200_000);
  for (let n = 0; n < 10; n++) {
    const create = connectHttp2(server.url, credentials());
    const stream = create.request({ ":method": "POST", ":path": configMaps, "content-type": "application/json" });
    stream.end(JSON.stringify({ metadata: { name: `c${n}` }, data: { filling } }));
    await once(stream, "response");
    create.destroy();
  }
  for (let n = 0; n < 20; n++) {
    ask({ ":path": `${configMaps}?watch=1` });
    ask({ ":path": configMaps });
    ask({ ":path": configMaps, "accept-encoding": "gzip" });
    ask({ ":path": configMaps, accept: "application/yaml" });
    ask({ ":method": "POST", ":path": configMaps, "content-type": "application/json" }).write("{");
  }
  const head = `Host: x\r\nContent-Type: application/json\r\n`;
  (await secured()).write("GET /api HT");
  (await secured()).write(`POST ${configMaps} HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{`);
  (await secured()).pause().write(`GET ${configMaps}?watch=1 HTTP/1.1\r\n${head}\r\n`);
  const half = connectPlain(server.port, "127.0.0.1").on("error", () => {}); // the server ends it
  half.write(Buffer.from([0x16, 3, 1, 2, 0]));
  await expect.poll(() => server.watchCount).toBe(21);

  const start = performance.now();
  await server.stop();
  expect(performance.now() - start).toBeLessThan(10_000);
  session.destroy();
  half.destroy();
});
