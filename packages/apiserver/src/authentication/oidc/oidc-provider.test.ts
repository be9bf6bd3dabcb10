import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeClock } from "@kubewright/clock/testing";
import { exportJWK, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { OidcProvider } from "./oidc-provider.ts";

const pairs = [0, 1].map(() => generateKeyPairSync("rsa", { modulusLength: 2_048 }));
let served = 1;
let status = 200;
let asked: string[] = [];
const server = createServer(async ({ url = "" }, response) => {
  asked.push(url);
  const keys = pairs
    .slice(0, served)
    .map(async ({ publicKey }, i) => ({ ...(await exportJWK(publicKey)), kid: `${i}` }));
  const document = url === "/keys" ? { keys: await Promise.all(keys) } : { issuer, jwks_uri: `${issuer}/keys` };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
});
let issuer = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  served = 1;
  status = 200;
  asked = [];
});

const signed = (kid: string, key: KeyObject | undefined): Promise<string> =>
  new SignJWT({ sub: "jane" }).setProtectedHeader({ alg: "RS256", kid }).sign(key ?? new Uint8Array());

async function provider() {
  const clock = new FakeClock();
  const made = new OidcProvider({ issuer, signingAlgs: ["RS256"], clock });
  return { clock, provider: made, [Symbol.asyncDispose]: () => made.close() };
}

it("shares and limits the requests caused by tokens with unknown keys", async () => {
  await using bed = await provider();
  const forged = await signed("unknown", pairs[1]?.privateKey);
  const refuse = () => expect(bed.provider.verify(forged)).rejects.toThrow("failed to verify id token signature");
  expect(await bed.provider.verify(await signed("0", pairs[0]?.privateKey))).toMatchObject({ sub: "jane" });
  expect(asked).toEqual(["/.well-known/openid-configuration", "/keys"]);

  await Promise.all(Array.from({ length: 20 }, refuse));
  expect(asked).toHaveLength(3);
  for (let i = 0; i < 20; i++) await refuse();
  expect(asked).toHaveLength(5); // the burst
  await bed.clock.advance(9_999);
  await refuse();
  expect(asked).toHaveLength(5);

  served = 2;
  await bed.clock.advance(1);
  expect(await bed.provider.verify(await signed("1", pairs[1]?.privateKey))).toMatchObject({ sub: "jane" });
  expect(await bed.provider.verify(await signed("0", pairs[0]?.privateKey))).toMatchObject({ sub: "jane" });
  expect(asked).toHaveLength(6);
});

it("keeps the known keys while the issuer fails, and limits requests for the first ones", async () => {
  status = 500;
  await using bed = await provider();
  const token = await signed("0", pairs[0]?.privateKey);
  for (let i = 0; i < 5; i++) await expect(bed.provider.verify(token)).rejects.toThrow("authenticator not initialized");
  await expect(bed.provider.verify(token)).rejects.toMatchObject({
    cause: { message: "cannot read the discovery document: too many requests to the issuer; wait a few seconds" },
  });
  expect(asked).toHaveLength(5);

  status = 200;
  await bed.clock.advance(20_000);
  expect(await bed.provider.verify(token)).toMatchObject({ sub: "jane" });
  status = 500;
  await bed.clock.advance(10_000);
  await expect(bed.provider.verify(await signed("unknown", pairs[1]?.privateKey))).rejects.toThrow(
    "responded with status 500",
  );
  expect(await bed.provider.verify(token)).toMatchObject({ sub: "jane" });
});
