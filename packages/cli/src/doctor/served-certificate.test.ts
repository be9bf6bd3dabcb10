import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { CertificateAuthority } from "@kubewright/certificates";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it, onTestFinished } from "vitest";
import { problemServing } from "./served-certificate.ts";

const ca = new CertificateAuthority("served");

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
const serving = (...hosts: string[]): Promise<number> => {
  const { certificate: cert, key } = ca.issueServer("server", hosts);
  return portOf(createTlsServer({ cert, key }, (socket) => socket.on("error", () => {}).end()));
};

it("accepts a certificate that is valid for an address or a name", async () => {
  const port = await serving("127.0.0.1", "localhost");
  expect(await problemServing(`https://127.0.0.1:${port}/validate`, ca.certificate)).toBeUndefined();
  expect(await problemServing(`https://localhost:${port}`, ca.certificate)).toBeUndefined();
});

it("reports another name, another authority and a closed port", async () => {
  const port = await serving("other.example.com");
  expect(await problemServing(`https://127.0.0.1:${port}`, ca.certificate)).toContain("127.0.0.1");
  const own = await serving("127.0.0.1");
  const stranger = new CertificateAuthority("stranger").certificate;
  expect(await problemServing(`https://127.0.0.1:${own}`, stranger)).toMatch(/certificate/);
  expect(await problemServing("https://127.0.0.1:1", ca.certificate)).toContain("ECONNREFUSED 127.0.0.1:1");
  expect(await problemServing("https://[::1]:1", ca.certificate)).toMatch(/ECONNREFUSED ::1:1|EADDRNOTAVAIL/);
});

it("times out after five seconds", async () => {
  const clock = new FakeClock();
  const accepted = Promise.withResolvers<void>();
  const port = await portOf(
    createServer((socket) => {
      socket.on("error", () => {}).resume();
      accepted.resolve();
    }),
  );
  const problem = problemServing(`https://127.0.0.1:${port}`, ca.certificate, clock);
  await accepted.promise;
  await clock.advance(4_999);
  expect(clock.waiting).toBe(1);
  await clock.advance(1);
  expect(await problem).toBe("no response within 5000 ms");
  expect(clock.waiting).toBe(0);
});
