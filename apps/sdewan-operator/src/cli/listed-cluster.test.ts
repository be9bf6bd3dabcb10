import { forbidden, NoMatchError } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { expect, it } from "vitest";
import { IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { ListedCluster } from "./listed-cluster.ts";

const failing = (error: Error): ListedCluster => {
  const fails = (): Promise<never> => Promise.reject(error);
  const reader: Reader = { get: fails, list: fails };
  return new ListedCluster(reader);
};

it("treats a kind that is not served as one without objects, and passes on every other failure", async () => {
  expect(await failing(NoMatchError.ofKind(IpsecSite)).list(IpsecSite)).toEqual([]);
  const refused = forbidden({ group: IpsecSite.group, resource: IpsecSite.plural }, "", "no");
  await expect(failing(refused).list(IpsecSite)).rejects.toBe(refused);
});
