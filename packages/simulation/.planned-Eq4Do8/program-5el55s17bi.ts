import { asReconciler } from "@kubewright/controller";
import { controllerManagedBy } from "@kubewright/builder";
import { controllerReference, unstructured } from "@kubewright/apimachinery";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });

export function setup(manager) {
  controllerManagedBy(manager).for(Site).owns(ConfigMap).complete(asReconciler(Site, async (site, { client }) => {
    const { name, namespace } = site.metadata;
    const metadata = { name, namespace, ownerReferences: [controllerReference(site)] };
    const data = { image: site.spec.image };
    if (name === "north")
      await client.status.patch(Site, site, { turn: (site.status?.turn ?? 0) + 1 });
  }));
}
