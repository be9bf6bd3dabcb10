import { networksAnnotation, quirksAnnotation } from "./simulated-cnfs.ts";

/** Default networks of a CNF's pods: network to interface. */
const usualNetworks: Readonly<Record<string, string>> = { "net-a": "net1", "net-b": "net2" };

export interface CnfOptions {
  readonly purpose: string;
  readonly namespace: string;
  readonly quirks: boolean;
  readonly replicas?: number;
  /** Default {@link usualNetworks}. */
  readonly networks?: Readonly<Record<string, string>>;
  /** Name of the Deployment. Default `cnf`. */
  readonly name?: string;
}

/** Returns the Deployment of a CNF. */
export function cnfDeployment(options: CnfOptions) {
  const { purpose: sdewanPurpose, namespace, quirks, replicas = 1, networks = usualNetworks, name = "cnf" } = options;
  const annotations = { [networksAnnotation]: networksText(networks), [quirksAnnotation]: String(quirks) };
  return {
    metadata: { name, namespace, labels: { sdewanPurpose } },
    spec: {
      replicas,
      selector: { matchLabels: { sdewanPurpose, app: name } },
      template: {
        metadata: {
          labels: { sdewanPurpose, app: name, "cnf-account-secret": "cnf-account" },
          annotations,
        },
        spec: {
          containers: [{ name: "sdewan", image: "kubewright/cnf-simulator:latest" }],
          terminationGracePeriodSeconds: 0,
        },
      },
    },
  };
}

export function networksText(networks: Readonly<Record<string, string>>): string {
  const entries = Object.entries(networks).map(([name, name2], index) => ({
    name,
    interface: name2,
    ipAddress: `172.16.${30 + index}.10`,
    defaultGateway: "false",
  }));
  return JSON.stringify({ type: "ovn4nfv", interface: entries });
}
