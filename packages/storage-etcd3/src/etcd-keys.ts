import { builtinCatalogue } from "@kubewright/codec/schema";

/**
 * Key prefixes of resources whose keys do not start with the name of the resource. @see kubernetes pkg/kubeapiserver
 * SpecialDefaultResourcePrefixes
 */
const special: Readonly<Record<string, string>> = {
  "core/replicationcontrollers": "controllers",
  "core/endpoints": "services/endpoints",
  "core/nodes": "minions",
  "core/services": "services/specs",
  "networking.k8s.io/ingresses": "ingress",
  "apiextensions.k8s.io/customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices": "apiregistration.k8s.io/apiservices",
};

const folders = new Map<string, string>();
const resources = new Map<string, string>();
for (const { group, resource } of builtinCatalogue) {
  const own = `${group || "core"}/${resource}`;
  if (own === "events.k8s.io/events" || folders.has(own)) continue;
  const folder = special[own] ?? resource;
  folders.set(own, folder);
  resources.set(folder, own);
}

/**
 * Converts keys in the storage interface (`/<group or core>/<resource>/…`) to the keys that kube-apiserver uses in
 * etcd, and vice versa: `/registry/pods/default/p`, `/registry/services/specs/default/s`,
 * `/registry/example.com/sites/default/a`.
 */
export class EtcdKeys {
  /** Prefix of all keys in etcd, without a trailing slash. */
  readonly root: string;

  /** Creates a converter. @param prefix value of kube-apiserver's `--etcd-prefix` flag */
  constructor(prefix: string) {
    this.root = prefix.replace(/(?<!\/)\/+$/, "");
  }

  /** Converts a key, or a prefix that ends in a slash, to the corresponding key or prefix in etcd. */
  toEtcd(key: string): string {
    const [, group = "", resource = "", ...rest] = key.split("/");
    const own = `${group}/${resource}`;
    return [this.root, folders.get(own) ?? own, ...rest].join("/");
  }

  /**
   * Converts a key in etcd to a key in the storage interface. Returns `undefined` if the key does not belong to an object of a known
   * resource, for example if it contains allocated port ranges.
   */
  fromEtcd(key: string): string | undefined {
    if (!key.startsWith(`${this.root}/`)) return undefined;
    const parts = key.slice(this.root.length + 1).split("/");
    for (const length of [2, 1]) {
      const own = resources.get(parts.slice(0, length).join("/"));
      const rest = parts.slice(length);
      if (own && rest.length > 0 && rest.length <= 2) return `/${own}/${rest.join("/")}`;
    }
    const isCustom = parts[0]?.includes(".") && (parts.length === 3 || parts.length === 4);
    return isCustom ? `/${parts.join("/")}` : undefined;
  }
}
