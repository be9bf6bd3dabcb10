import { CertificateAuthority } from "@kubewright/certificates";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { pair } from "../testing/running-server.ts";
import { staticCertificate } from "./certificate-source.ts";

it("fails its check once it has expired", async () => {
  const clock = new FakeClock(Date.now());
  const source = staticCertificate({ ...pair, clock });
  source.check();
  await clock.advance(3 * 365 * 24 * 3_600_000);
  expect(() => source.check()).toThrow(/certificate expired at .* GMT/);
});

it("refuses a value that is not a pair", () => {
  const other = new CertificateAuthority("x").issueServer("other", ["127.0.0.1"]);
  expect(() => staticCertificate({ ...pair, key: other.key })).toThrow(
    "the private key does not match the certificate",
  );
  expect(() => staticCertificate({ ...pair, cert: "x" })).toThrow("certificates.cert is not valid PEM");
  expect(() => staticCertificate({ ...pair, key: "x" })).toThrow("certificates.key is not valid PEM");
});
