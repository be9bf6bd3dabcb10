import { asReconciler } from "@kubewright/controller";
import { controllerManagedBy } from "@kubewright/builder";
import { controllerReference, unstructured } from "@kubewright/apimachinery";
import { ConfigMap } from "@kubewright/client/kinds";
const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
export function setup(manager) {
  controllerManagedBy(manager).for(Site).owns(ConfigMap).complete(asReconciler(Site, async (site, { client }) => {
    const { name, namespace, labels = {} } = site.metadata;
    const { copies, text } = site.spec;
    for (const { metadata } of await client.list(ConfigMap, { namespace }))
      if (metadata.name.startsWith(name + "-") && Number(metadata.name.split("-")[1]) >= copies)
        await client.delete(ConfigMap, metadata);
    for (let number = 0; number < copies; number++)
      await client.apply(ConfigMap, {
        metadata: { name: name + "-" + number, namespace, ownerReferences: [controllerReference(site)] },
        data: { text, of: String(copies) },
      }, { force: true });
    if (copies % 2 === 0 && labels.even !== "yes")
      await client.patch(Site, site, { metadata: { labels: { even: "yes" } } });
    if (site.status?.copies !== copies) await client.status.patch(Site, site, { copies });
  }));
}
