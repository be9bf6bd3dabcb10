import type { X509Certificate } from "node:crypto";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import type { RequestMessage } from "../http/messages.ts";
import { CertificateError, CertificatePool, type ChainVerdict } from "./certificate-pool.ts";
import { ChainJudge, type PeerChain, peerChain } from "./peer-chain.ts";

/** Creates this many certificates, the first being the client's. */
function links(name: string, count: number): X509Certificate {
  let link: X509Certificate | undefined;
  for (let i = count - 1; i >= 0; i--)
    link = { fingerprint256: i === 0 ? name : `${name} ${i}`, issuerCertificate: link } as X509Certificate;
  if (!link) throw new Error("no certificate");
  return link;
}

/** Returns a request on a connection with this client certificate. */
function requestOf(leaf: X509Certificate | undefined): { request: RequestMessage; looks: () => number } {
  let looks = 0;
  class Connection extends TLSSocket {
    override getPeerX509Certificate(): X509Certificate | undefined {
      looks++;
      return leaf;
    }
  }
  return {
    request: { socket: new Connection(new Socket()) } as Partial<RequestMessage> as RequestMessage,
    looks: () => looks,
  };
}

it("a connection without TLS has no certificates", () => {
  expect(peerChain({ socket: new Socket() } as Partial<RequestMessage> as RequestMessage)).toBeUndefined();
});

it.each([
  [1, 1],
  [32, 32],
  [40, 32],
])("of %i certificates %i are examined", (shown, seen) => {
  const chain = peerChain(requestOf(links("a", shown)).request);
  expect(chain?.certificates.map(({ fingerprint256 }) => fingerprint256)).toEqual(
    ["a", ...Array.from({ length: 40 }, (_, i) => `a ${i + 1}`)].slice(0, seen),
  );
  expect(chain).toMatchObject({ leaf: { fingerprint256: "a" }, isResumed: false });
});

it.each([links("a", 2), undefined])("a client's certificates are read once per connection", (leaf) => {
  const { request, looks } = requestOf(leaf);
  expect(peerChain(request)).toBe(peerChain(request));
  expect(peerChain(request) !== undefined).toBe(leaf !== undefined);
  expect(looks()).toBe(1);
});

/** Accepts chains of two certificates, valid from 100 to 200; rejects others. */
class CountingPool extends CertificatePool {
  readonly judged: string[] = [];

  constructor() {
    super([]);
  }

  override judge(chain: readonly X509Certificate[]): ChainVerdict {
    this.judged.push(chain.map(({ fingerprint256 }) => fingerprint256).join());
    return { fromMs: 100, untilMs: 200, ...(chain.length > 1 ? {} : { error: new CertificateError("unknown") }) };
  }
}

const chainOf = (name: string, count: number, isResumed = false): PeerChain => {
  const leaf = links(name, count);
  const certificates = count > 1 && leaf.issuerCertificate ? [leaf, leaf.issuerCertificate] : [leaf];
  return { connection: {}, leaf, certificates, isResumed };
};

it.each([
  [99, 2],
  [100, 1],
  [199, 1],
  [200, 2],
])("a verdict valid from 100 to 200 is recomputed when needed at %i: %i in total", (ms, times) => {
  const pool = new CountingPool();
  let nowMs = 150;
  const judge = new ChainJudge(pool, () => nowMs);
  const chain = chainOf("a", 2);
  judge.check(chain);
  nowMs = ms;
  judge.check(chain);
  expect(pool.judged.length).toBe(times);
});

it("a rejection is also cached for a connection", () => {
  const pool = new CountingPool();
  const judge = new ChainJudge(pool, () => 150);
  const chain = chainOf("a", 1);
  for (let i = 0; i < 2; i++) expect(() => judge.check(chain)).toThrow("unknown");
  expect(pool.judged).toEqual(["a"]);
});

it("intermediates are remembered only for resumed sessions, and only if accepted", () => {
  const judge = new ChainJudge(new CountingPool(), () => 150);
  judge.check(chainOf("a", 2));
  expect(() => judge.check(chainOf("a", 1, true))).not.toThrow();
  expect(() => judge.check(chainOf("a", 1))).toThrow("unknown");
  expect(() => judge.check(chainOf("b", 1))).toThrow("unknown");
  expect(() => judge.check(chainOf("b", 1, true))).toThrow("unknown");
});

it("256 chains are remembered; the least recently used is dropped first", () => {
  const judge = new ChainJudge(new CountingPool(), () => 150);
  for (let i = 0; i < 256; i++) judge.check(chainOf(`user ${i}`, 2));
  expect(remembers(judge, 0)).toBe(true); // which counts as a use
  judge.check(chainOf("user 256", 2));
  expect([2, 255, 256, 0].map((user) => remembers(judge, user))).toEqual([true, true, true, true]);
  expect(remembers(judge, 1)).toBe(false);
});

function remembers(judge: ChainJudge, user: number): boolean {
  try {
    judge.check(chainOf(`user ${user}`, 1, true));
    return true;
  } catch {
    return false;
  }
}
