import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:tls";
import {
  clientAuth,
  commonName,
  objectIdentifier,
  sequence,
  serverAuth,
  type TestCertificate,
  type TestCertificateOptions,
  tagged,
  testCertificate,
} from "@kubewright/certificates/testing";
import { expect, it } from "vitest";
import { CertificatePool, certificatesOfPem, isCertificateError } from "./certificate-pool.ts";

const now = Date.parse("2030-06-01T12:00:00Z");
const hour = 3_600_000;
const signs = [5];
const always = { notBeforeMs: now - 24 * hour, notAfterMs: now + 24 * hour };
const make = (name: string, options: Omit<TestCertificateOptions, "subject"> = {}): TestCertificate =>
  testCertificate({ ...always, subject: [commonName(name)], ...options });
const authority = (name: string, options: Omit<TestCertificateOptions, "subject"> = {}): TestCertificate =>
  make(name, { ca: true, keyUsage: signs, ...options });
const user = (issuer: TestCertificate, options: Omit<TestCertificateOptions, "subject"> = {}): TestCertificate =>
  make("jane", { issuer, ca: false, keyUsage: [0], extendedKeyUsage: [clientAuth], ...options });

const root = authority("root");
const between = authority("between", { issuer: root });
const unknown = "x509: certificate signed by unknown authority";
const wrongUse = "x509: certificate specifies an incompatible key usage";
const expired = /^x509: certificate has expired or is not yet valid: current time 2030-06-01T12:00:00Z is after /;
const early = /^x509: certificate has expired or is not yet valid: current time 2030-06-01T12:00:00Z is before /;
const tooDeep = "x509: too many intermediates for path length constraint";

/** The issuers of a user's certificate, and the reason for its rejection; `undefined`: it is accepted. */
interface Case {
  readonly name: string;
  readonly roots?: readonly TestCertificate[];
  readonly shown: readonly TestCertificate[];
  readonly error?: string | RegExp;
}

function behind(name: string, issuer: TestCertificate, error?: string | RegExp, more: readonly TestCertificate[] = []) {
  return { name, shown: [user(issuer), issuer, ...more], ...(error ? { error } : {}) };
}

const stranger = authority("root"); // of the same name
const unrelated = authority("unrelated");
const leafOfRoot = user(root);
const deep = authority("deep", { issuer: between });
const narrow = authority("narrow", { issuer: root, pathLength: 0 });
const narrowRoot = authority("narrow root", { pathLength: 0 });
const underNarrowRoot = authority("under", { issuer: narrowRoot });
const dnsOnly = sequence(tagged(0, sequence(sequence(tagged(2, Buffer.from("example.org"), false)))));
const alternativeName = sequence(tagged(2, Buffer.from("example.com"), false));
const constrained = authority("constrained", { issuer: root, extensions: [["2.5.29.30", dnsOnly, true]] });
const oldRoot = authority("old root", { notAfterMs: now - hour });
const serverRoot = authority("server root", { extendedKeyUsage: [serverAuth] });
const mute = authority("mute", { keyUsage: [0] });
const server = make("server", { extendedKeyUsage: [serverAuth] });
const first = make("first", { version: 1 });

const cases: readonly Case[] = [
  { name: "of the authority itself", shown: [leafOfRoot] },
  { name: "without a word on use", shown: [make("jane", { issuer: root })] },
  { name: "for any use", shown: [user(root, { extendedKeyUsage: ["2.5.29.37.0"] })] },
  { name: "for clients and servers", shown: [user(root, { extendedKeyUsage: [serverAuth, clientAuth] })] },
  { name: "for servers", shown: [user(root, { extendedKeyUsage: [serverAuth] })], error: wrongUse },
  { name: "of an unknown authority", shown: [user(authority("other"))], error: unknown },
  { name: "of another authority with the same name", shown: [user(stranger), stranger], error: unknown },
  { name: "signed by itself", shown: [make("jane")], error: unknown },
  { name: "that is in the pool itself", roots: [leafOfRoot], shown: [leafOfRoot] },
  { name: "that is in the pool itself, for servers", roots: [server], shown: [server], error: wrongUse },
  { name: "that is not there", shown: [], error: "x509: no certificate" },
  { name: "that names another issuer", shown: [user(root, { issuerName: [commonName("x")] })], error: unknown },
  { name: "over", shown: [user(root, { notAfterMs: now - 1_000 })], error: expired },
  { name: "at its last second", shown: [user(root, { notAfterMs: now })] },
  { name: "at its first second", shown: [user(root, { notBeforeMs: now })] },
  { name: "not begun", shown: [user(root, { notBeforeMs: now + 1_000 })], error: early },
  { name: "with SHA-1", shown: [user(root, { digest: "sha1" })], error: unknown },
  {
    name: "with an extension that must be understood",
    shown: [user(root, { extensions: [["1.2.3.4", sequence(), true]] })],
    error: "x509: unhandled critical extension",
  },
  { name: "with one that need not be", shown: [user(root, { extensions: [["1.2.3.4", sequence()]] })] },
  {
    name: "that repeats an extension",
    shown: [user(root, { extensions: [["2.5.29.37", sequence(objectIdentifier(clientAuth))]] })],
    error: "x509: certificate contains duplicate extensions",
  },
  behind("through an authority between", between),
  { name: "through one that was not shown", shown: [user(between)], error: unknown },
  behind("through two", deep, undefined, [between]),
  behind("through a user's certificate", leafOfRoot, unknown),
  behind(
    "through one that is explicitly not an authority",
    make("x", { issuer: root, ca: false, keyUsage: signs }),
    unknown,
  ),
  behind("through one without basic constraints", make("x", { issuer: root, keyUsage: signs }), unknown),
  behind(
    "through one of version 1",
    make("x", { issuer: root, version: 1 }),
    "x509: certificate is not authorized to sign other certificates",
  ),
  behind(
    "through an authority whose key must not sign certificates",
    authority("x", { issuer: root, keyUsage: [0, 6] }),
    unknown,
  ),
  behind("through an authority without a key usage", make("x", { issuer: root, ca: true })),
  behind("through one that is over", authority("x", { issuer: root, notAfterMs: now - hour }), expired),
  behind("through one that has not begun", authority("x", { issuer: root, notBeforeMs: now + hour }), early),
  behind("through one for servers", authority("x", { issuer: root, extendedKeyUsage: [serverAuth] }), wrongUse),
  behind("through one for clients", authority("x", { issuer: root, extendedKeyUsage: [clientAuth] })),
  behind("through one of a stranger", authority("x", { issuer: stranger }), unknown),
  behind("through one of the last before the user", narrow),
  behind("through one too many", authority("x", { issuer: narrow }), tooDeep, [narrow]),
  { name: "under a narrow authority", roots: [narrowRoot], shown: [user(narrowRoot)] },
  {
    name: "through one too many under a narrow authority",
    roots: [narrowRoot],
    shown: [user(underNarrowRoot), underNarrowRoot],
    error: tooDeep,
  },
  behind(
    "through one with an unknown restriction",
    authority("x", { issuer: root, extensions: [["1.2.3", sequence(), true]] }),
    "x509: unhandled critical extension",
  ),
  behind("through one for some names, without names", constrained),
  {
    name: "through one for some names, with a name",
    shown: [user(constrained, { extensions: [["2.5.29.17", alternativeName]] }), constrained],
    error: "x509: name constraints of an authority are not supported for certificates with alternative names",
  },
  { name: "of an authority that is over", roots: [oldRoot], shown: [user(oldRoot)], error: expired },
  { name: "of an authority for servers", roots: [serverRoot], shown: [user(serverRoot)], error: wrongUse },
  { name: "of an authority whose key must not sign certificates", roots: [mute], shown: [user(mute)], error: unknown },
  { name: "of an authority of version 1", roots: [first], shown: [user(first)] },
  { name: "of a user in the pool", roots: [leafOfRoot], shown: [user(leafOfRoot)], error: unknown },
  { name: "through an old and a new authority of one key's name", roots: [oldRoot, root], shown: [leafOfRoot] },
];

const parsed = ({ certificate }: TestCertificate): X509Certificate => new X509Certificate(certificate);
const judged = ({ roots = [root], shown }: Case) =>
  new CertificatePool(roots.map(parsed)).judge(shown.map(parsed), now);

it.each(cases.filter(({ error }) => error === undefined))("accepts a certificate $name", (each) => {
  expect(judged(each).error?.message).toBeUndefined();
});

it.each(cases.filter(({ error }) => error !== undefined))("rejects a certificate $name", (each) => {
  expect(judged(each).error?.message).toMatch(each.error ?? "");
  expect(judged(each).error?.message.startsWith("x509: ")).toBe(true);
});

it("returns the period for which its verdict is valid", () => {
  const late = authority("late", { issuer: root, notBeforeMs: now + hour, notAfterMs: now + 3 * hour });
  const pool = new CertificatePool([parsed(root)]);
  const chain = [user(late, { notAfterMs: now + 2 * hour }), late].map(parsed);
  const before = pool.judge(chain, now);
  expect(before.error?.message).toMatch(early);
  expect(before.untilMs).toBe(now + hour);
  expect(pool.judge(chain, before.untilMs - 1).error).toBeDefined();
  const during = pool.judge(chain, before.untilMs);
  expect(during).toEqual({ fromMs: now + hour, untilMs: now + 2 * hour + 1 });
  expect(pool.judge(chain, during.untilMs - 1).error).toBeUndefined();
  expect(pool.judge(chain, during.untilMs).error?.message).toMatch(/ is after 2030-06-01T14:00:00Z$/);
});

it("limits the checks for many certificates of one name", () => {
  const heap = Array.from({ length: 30 }, () => authority("loop", { issuerName: [commonName("loop")] }));
  const last = heap[0];
  if (!last) throw new Error("no certificate");
  const chain = [user(last), ...heap].map(parsed);
  const { error } = new CertificatePool([parsed(root)]).judge(chain, now);
  expect(error?.message).toMatch(unknown);
  const linked = Array.from({ length: 12 }, () => authority("loop", { issuer: last }));
  const many = [user(last), ...linked.flatMap((each) => [each, ...heap])].map(parsed);
  expect(new CertificatePool([parsed(root)]).judge(many, now).error?.message).toBe(
    "x509: signature check attempts limit reached while verifying certificate chain",
  );
});

it("throws errors with a code, which a guard recognizes", () => {
  try {
    certificatesOfPem("none");
    expect.unreachable();
  } catch (error) {
    expect(isCertificateError(error)).toBe(true);
    expect(error).toMatchObject({ name: "CertificateError", code: "ERR_CERTIFICATE" });
  }
  expect(isCertificateError(new Error("ERR_CERTIFICATE"))).toBe(false);
});

it("reads a text in which many blocks begin and none ends in linear time, and skips incomplete blocks", () => {
  const begun = "-----BEGIN CERTIFICATE-----\n";
  const start = process.cpuUsage();
  expect(() => certificatesOfPem(begun.repeat(40_000))).toThrow("does not contain any valid");
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  expect(certificatesOfPem(`${begun}abc\n${root.certificate}`)).toHaveLength(1);
});

it("does not disturb other connections when it compares keys of different types", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const chain = [user(root), make("jane", { publicKey: privateKey })].map(
    ({ certificate }) => new X509Certificate(certificate),
  );
  const pool = new CertificatePool([new X509Certificate(unrelated.certificate)]);
  const errors: Error[] = [];
  const own = make("own");
  const listener = createServer({ cert: own.certificate, key: own.key }, (socket) => {
    socket.on("error", (error) => errors.push(error));
    socket.on("data", () => {
      expect(pool.judge(chain, now).error?.message).toBe(unknown);
      socket.end("done");
    });
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  client.write("ask");
  client.resume();
  await once(client, "close");
  await new Promise((resolve) => listener.close(resolve));
  expect(errors).toEqual([]);
});
