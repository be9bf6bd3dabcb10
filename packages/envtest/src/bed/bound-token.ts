import type { ServiceAccountTokenSigner } from "@kubewright/kube-apiserver";
import type { Account } from "./test-bed.ts";

/** Creates a token as TokenRequest does, but also allows lifetimes below TokenRequest's minimum of ten minutes. */
export async function boundToken(
  signer: ServiceAccountTokenSigner,
  { namespace, name, uid }: Account,
  nowMs: number,
  expirationSeconds: number,
): Promise<string> {
  const claims = { namespace, serviceaccount: { name, uid } };
  return (await signer.boundToken(claims, [signer.issuer], { nowMs, expirationSeconds })).token;
}
