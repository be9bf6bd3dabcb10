import { type Client, type Connection, type ObjectKey, splitKey, unstructured } from "kubewright";
import { Pod } from "kubewright/kinds";

/** A path of the API, and what is there as JSON. What the other three are made of. @see client-go rest.RESTClient */
export async function byRest(connection: Connection, key: ObjectKey): Promise<unknown> {
  const { namespace = "default", name } = splitKey(key);
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const { status, body } = await connection.request({ method: "GET", path });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${body.toString()}`);
  return JSON.parse(body.toString());
}

/** A kind with its type: `pod.spec.nodeName` is checked when this is compiled. @see client-go kubernetes.Clientset */
export const byType = (client: Client, key: ObjectKey) => client.get(Pod, key);

/** A kind by its name alone, for what is not known before the program runs. @see client-go dynamic.Interface */
export const byName = (client: Client, key: ObjectKey) =>
  client.get(unstructured({ apiVersion: "v1", kind: "Pod" }), key);

/** Where the server serves a resource, and what can be done there. @see client-go discovery.DiscoveryClient */
export async function byDiscovery({ discovery }: Client, plural: string): Promise<string> {
  const found = (await discovery.resources()).find(({ gvr }) => gvr.resource === plural);
  if (!found) throw new Error(`the server serves no ${plural}`);
  const { gvk, verbs } = found;
  return `${gvk.group || "core"}/${gvk.version} ${gvk.kind}: ${verbs.join(", ")}`;
}
