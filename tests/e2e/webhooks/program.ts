import { defineKind, Manager, type ManagerOptions } from "kubewright";
import { admission, invalid } from "kubewright/webhooks";
import { Type } from "typebox";

export const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({ image: Type.Optional(Type.String()), replicas: Type.Integer({ default: 1 }) }),
});

export function program(options: ManagerOptions): Manager {
  const manager = new Manager(options);
  const webhooks = admission(Site)
    .default((site) => {
      site.spec.image ??= "nginx";
    })
    .validate({
      update: (site, old) => {
        if (site.spec.image !== old.spec.image) throw invalid("spec.image", site.spec.image, "is immutable");
      },
    });
  manager.webhooks.add(webhooks);
  return manager;
}
