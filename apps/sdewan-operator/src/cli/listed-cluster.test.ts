import { forbidden, NoMatchError } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { expect, it } from "vitest";
import { IpsecSite } from "../api/ipsec/ipsec-site.ts";
import { ListedCluster } from "./listed-cluster.ts";

const failing = (error: Error): ListedCluster => {
  const fails = (): Promise<never> => Promise.reject(error);
  const reader: Reader = { get: fails, list: fails };
  return new ListedCluster(reader);
};

it("takes a kind that is not served for one without objects, and nothing else that fails", async () => {
  expect(await failing(NoMatchError.ofKind(IpsecSite)).list(IpsecSite)).toEqual([]);
  const refused = forbidden({ group: IpsecSite.group, resource: IpsecSite.plural }, "", "no");
  await expect(failing(refused).list(IpsecSite)).rejects.toBe(refused);
});
