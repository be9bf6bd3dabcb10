import {
  type Client,
  type Connection,
  type ObjectKey,
  splitKey,
  unstructured,
} from "kubewright";
import { Pod } from "kubewright/kinds";

/**
 * Requests a path of the API and parses the JSON. The clients in the other
 * three functions are built on such requests.
 *
 * @see client-go rest.RESTClient
 */
export async function byRest(
  connection: Connection,
  key: ObjectKey,
): Promise<unknown> {
  const { namespace = "default", name } = splitKey(key);
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const { status, body } = await connection.request({ method: "GET", path });
  if (status !== 200)
    throw new Error(`GET ${path}: ${status} ${body.toString()}`);
  return JSON.parse(body.toString());
}

/**
 * Reads a kind with its type: the compiler checks `pod.spec.nodeName`.
 *
 * @see client-go kubernetes.Clientset
 */
export const byType = (client: Client, key: ObjectKey) => client.get(Pod, key);

/**
 * Reads a kind by name, for kinds that are only known at run time.
 *
 * @see client-go dynamic.Interface
 */
export const byName = (client: Client, key: ObjectKey) =>
  client.get(unstructured({ apiVersion: "v1", kind: "Pod" }), key);

/**
 * Returns the path and the verbs of a resource.
 *
 * @see client-go discovery.DiscoveryClient
 */
export async function byDiscovery(
  { discovery }: Client,
  plural: string,
): Promise<string> {
  const found = (await discovery.resources()).find(
    ({ gvr }) => gvr.resource === plural,
  );
  if (!found) throw new Error(`the server does not serve ${plural}`);
  const { gvk, verbs } = found;
  return `${gvk.group || "core"}/${gvk.version} ${gvk.kind}: ${verbs.join(", ")}`;
}
