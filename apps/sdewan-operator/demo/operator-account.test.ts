import { Client } from "@kubewright/client";
import { ConfigMap, Pod } from "@kubewright/client/kinds";
import { startControlPlane } from "@kubewright/controller-manager";
import { expect, test } from "vitest";
import { operatorAccount } from "./operator-account.ts";

test("the operator's account has exactly the permissions in the manifests", async () => {
  await using plane = await startControlPlane();
  const administrator = new Client({ connection: plane.connection() });
  const settings = await operatorAccount(administrator, plane.connection());
  const operator = new Client({ connection: settings });

  await expect(operator.list(Pod)).resolves.toHaveLength(0);
  await expect(operator.list(ConfigMap)).rejects.toThrow(
    'configmaps is forbidden: User "system:serviceaccount:sdewan-system:sdewan-controller-manager" cannot list resource "configmaps"',
  );
  await expect(operator.delete(Pod, "default/a")).rejects.toThrow('cannot delete resource "pods"');

  await operator.close();
  await administrator.close();
});
