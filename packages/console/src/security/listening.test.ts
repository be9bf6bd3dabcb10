import { expect, it } from "vitest";
import { checkListening, isLoopback } from "./listening.ts";

it("recognizes loopback hosts", () => {
  for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1", "[::1]"])
    expect([host, isLoopback(host)]).toEqual([host, true]);
  const others = ["", "0.0.0.0", "::", "10.127.0.1", "128.0.0.1", "12.0.0.1", "127.0.0.1.evil.example", "127.1", "::2"];
  for (const host of [...others, "localhost.", "my-localhost"]) expect([host, isLoopback(host)]).toEqual([host, false]);
});

it("returns the properties of the listen address", () => {
  const tls = { cert: "c", key: "k" };
  for (const nowhere of ["0", ""])
    for (const given of [undefined, tls])
      expect(() => checkListening(nowhere, given)).toThrow(`bindAddress: "${nowhere}" is not a host and port`);
  const here = { port: 8090, isLoopback: true, isSecure: false };
  for (const host of ["127.0.0.1", "localhost", "[::1]"])
    expect(checkListening(`${host}:8090`, undefined)).toEqual(here);
  expect(checkListening("127.0.0.1:0", tls)).toEqual({ port: 0, isLoopback: true, isSecure: true });
  for (const host of ["", "0.0.0.0", "[::]", "example.com"])
    expect(checkListening(`${host}:8090`, tls)).toEqual({ port: 8090, isLoopback: false, isSecure: true });
  for (const host of ["", "0.0.0.0", "[::]", "example.com"])
    expect(() => checkListening(`${host}:8090`, undefined)).toThrow(
      `bindAddress: other machines can reach "${host}:8090", and data would not be encrypted`,
    );
});
