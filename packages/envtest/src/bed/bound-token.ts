import type { ServiceAccountTokenSigner } from "@kubewright/kube-apiserver";
import type { Account } from "./test-bed.ts";

/** As TokenRequest makes them, except that it may live shorter than the ten minutes that are the least there. */
export async function boundToken(
  signer: ServiceAccountTokenSigner,
  { namespace, name, uid }: Account,
  nowMs: number,
  expirationSeconds: number,
): Promise<string> {
  const claims = { namespace, serviceaccount: { name, uid } };
  return (await signer.boundToken(claims, [signer.issuer], { nowMs, expirationSeconds })).token;
}
