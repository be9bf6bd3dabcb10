import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { createServer } from "node:https";
import { checkServerIdentity, connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { CertificateAuthority, type IssuedCertificate } from "./certificate-authority.ts";
import { parseCertificationRequest } from "./certification-request.ts";
import { createCertificationRequest } from "./create-certification-request.ts";
import { signCertificationRequest } from "./sign-certification-request.ts";
import { commonName, serverAuth, testCertificate } from "./testing/index.ts";

const dayMs = 24 * 3_600_000;

/** Returns the error of a client that trusts `ca` and calls `host`; undefined if it accepts the server. */
function verdict({ certificate, key }: IssuedCertificate, ca: string, host: string): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer({ cert: certificate, key });
    server.on("tlsClientError", () => {});
    const done = (text: string): void => {
      resolve(text);
      server.close();
    };
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      const identity = {
        checkServerIdentity: (_: string, peer: Parameters<typeof checkServerIdentity>[1]) =>
          checkServerIdentity(host, peer),
      };
      const socket = connect({ host: "127.0.0.1", port, ca, ...identity }, () => {
        socket.destroy();
        done("");
      });
      socket.once("error", (error) => done(error.message));
    });
  });
}

const long = "l".repeat(63);

describe("a certificate from an authority", () => {
  it.each([
    ["ca", "server", "x.example", "x.example"],
    ["ca", "server", "localhost", "localhost"],
    ["ca", "server", "A.Example", "a.example"],
    ["ca", "server", "a_b.example", "a_b.example"],
    ["ca", "server", "*.shop.svc", "web.shop.svc"],
    ["ca", "server", `${long}.${long}.${long}.svc`, `${long}.${long}.${long}.svc`],
    ["ca", "server", "127.0.0.1", "127.0.0.1"],
    ["ca", "server", "::1", "::1"],
    ["ca", "server", "fe80::1:2", "fe80::1:2"],
    ["ca", "server", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"],
    ["ca", "server", "::ffff:10.1.2.3", "::ffff:10.1.2.3"],
    ["ca", "server", "64:ff9b::10.1.2.3", "64:ff9b::a01:203"],
    ["a".repeat(70), "b".repeat(70), "x.example", "x.example"],
    ["Bürgerinnen 🚀", "a, b\\c/d", "x.example", "x.example"],
  ])("of %s for %s at %s is accepted by a client that calls %s", async (name, server, host, called) => {
    const authority = new CertificateAuthority(name);
    expect(await verdict(authority.issueServer(server, [host]), authority.certificate, called)).toBe("");
  });

  it.each([
    ["", "is empty"],
    ["x.example.", "omit the trailing dot"],
    ["*", "an asterisk must be the whole first label"],
    ["*.svc", "an asterisk must be the whole first label"],
    ["a*.shop.svc", "an asterisk must be the whole first label"],
    ["a.*.svc", "an asterisk must be the whole first label"],
    ["jürgen.example", "must consist of ASCII characters"],
    ["a b", "must consist of ASCII characters"],
    ["a\0.example", "must consist of ASCII characters"],
    ["https://x.example", "is not a label"],
    ["x.example:443", "is not a label"],
    ["-x.example", "is not a label"],
    ["x..example", "is not a label"],
    [`${long}l.example`, "is not a label"],
    [`${long}.${long}.${long}.${long}`, "longer than 253"],
    ["1.2.3.256", "looks like an IP address"],
    ["fe80::1%eth0", "omit the zone"],
  ])("is refused for the host %j", (host, why) => {
    expect(() => new CertificateAuthority("ca").issueServer("server", ["ok.example", host])).toThrow(why);
  });

  it.each([
    ["x", "x"],
    ["X  y", " x Y"],
  ])(
    "is refused if the authority %j should name another %j, because it would look like the authority's own",
    (ca, name) => {
      const authority = new CertificateAuthority(ca);
      expect(() => authority.issueServer(name, ["x.example"])).toThrow("the authority's own name");
      expect(() => authority.issueClient({ commonName: name })).toThrow("the authority's own name");
      const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
      const request = parseCertificationRequest(createCertificationRequest({ commonName: name }, key));
      const options = { usages: [], notBeforeMs: Date.now(), notAfterMs: Date.now() + dayMs };
      expect(() => signCertificationRequest(authority.export(), request, options)).toThrow("the authority's own name");
      expect(authority.issueClient({ commonName: name, organizations: ["a"] }).certificate).toContain("BEGIN");
    },
  );

  it.each(["", "  ", "a\0b", "\ud800", "l".repeat(5_000)])("is refused for a user named %j", (name) => {
    expect(() => new CertificateAuthority(name)).toThrow("common name");
    expect(() => new CertificateAuthority("ca").issueClient({ commonName: name })).toThrow("common name");
    expect(() => new CertificateAuthority("ca").issueClient({ commonName: "a", organizations: [name] })).toThrow(
      "organization",
    );
  });

  it("is refused for a server without hosts, and for invalid times", () => {
    const authority = new CertificateAuthority("ca");
    expect(() => authority.issueServer("server", [])).toThrow("without hosts");
    for (const lifetimeMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => authority.issueServer("server", ["a"], { lifetimeMs })).toThrow("lifetimeMs");
      expect(() => new CertificateAuthority("ca", undefined, { lifetimeMs })).toThrow("lifetimeMs");
    }
  });

  it("expires with its authority at the latest, and is refused after that", () => {
    let now = Date.UTC(2026, 0, 1);
    const authority = new CertificateAuthority("ca", undefined, { lifetimeMs: 10 * dayMs, nowMs: () => now });
    const endOf = (lifetimeMs: number): number =>
      Date.parse(new X509Certificate(authority.issueServer("server", ["a"], { lifetimeMs }).certificate).validTo);
    expect(endOf(dayMs)).toBe(now + dayMs);
    expect(endOf(11 * dayMs)).toBe(now + 10 * dayMs);
    now += 10 * dayMs;
    expect(() => endOf(dayMs)).toThrow("the authority expired at");
  });
});

describe("an imported authority", () => {
  const kept = (options: Partial<Parameters<typeof testCertificate>[0]>, name = "kept") =>
    testCertificate({ subject: [commonName(name)], ca: true, keyUsage: [5], ...options });

  it("issues certificates that clients trusting it accept", async () => {
    const elsewhere = kept({ extensions: [["2.5.29.14", Buffer.from([4, 3, 1, 2, 3])]] });
    const issued = new CertificateAuthority("kept", elsewhere).issueServer("server", ["x.example"]);
    expect(await verdict(issued, elsewhere.certificate, "x.example")).toBe("");
  });

  it.each([
    ["rsa", generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey],
    ["ed25519", generateKeyPairSync("ed25519").privateKey],
  ])("with a key of type %s uses its signature algorithm", async (_, privateKey) => {
    const key = String(privateKey.export({ type: "pkcs8", format: "pem" }));
    const root = kept({}, "root");
    const authority = kept({ issuer: root, publicKey: privateKey });
    const issued = new CertificateAuthority("kept", {
      certificate: authority.certificate + root.certificate,
      key,
    }).issueServer("s", ["x.example"]);
    expect(await verdict(issued, root.certificate, "x.example")).toBe("");
  });

  it("below a root returns the chain, so that clients trusting the root accept it", async () => {
    const root = kept({}, "root");
    const between = kept({ issuer: root });
    const issued = new CertificateAuthority("kept", between).issueServer("server", ["x.example"]);
    expect(issued.certificate.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(await verdict(issued, root.certificate, "x.example")).toBe("");
  });

  it.each([
    ["no authority", kept({ ca: false }), "is not a CA certificate"],
    [
      "silent on whether it is an authority",
      testCertificate({ subject: [commonName("kept")] }),
      "is not a CA certificate",
    ],
    [
      "for servers",
      testCertificate({ subject: [commonName("kept")], ca: false, extendedKeyUsage: [serverAuth] }),
      "is not a CA certificate",
    ],
    ["not for signing certificates", kept({ keyUsage: [0] }), "does not permit"],
    ["another's", { ...kept({}), key: kept({}).key }, "does not match the private key"],
    ["of another name", kept({}, "other"), 'is named "other", not "kept"'],
  ])("is refused if it is %s", (_, authority, why) => {
    expect(() => new CertificateAuthority("kept", authority)).toThrow(why);
  });
});

it("refuses to sign requests with invalid times, or with unacceptable keys", () => {
  const authority = new CertificateAuthority("ca");
  const sign = (bits: number, notAfterMs: number): string => {
    const key = generateKeyPairSync("rsa", { modulusLength: bits }).privateKey;
    const request = parseCertificationRequest(createCertificationRequest({ commonName: "jane" }, key));
    return signCertificationRequest(authority.export(), request, { usages: [], notBeforeMs: 1_000, notAfterMs });
  };
  expect(() => sign(2_048, 1_000)).toThrow("would expire before it becomes valid");
  expect(() => sign(512, 2_000)).toThrow("verifiers reject RSA keys of 512 bits");
  expect(sign(2_048, 2_000)).toContain("BEGIN CERTIFICATE");
});
