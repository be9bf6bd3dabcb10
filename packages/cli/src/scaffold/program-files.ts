import type { ProjectFile } from "../project/project.ts";

/** Content of the main module. `run` handles flags and signals. */
export const mainText = `import { run } from "kubewright";
import { options, setup } from "./operator.ts";

await run(setup, options);
`;

export const operatorText = ({
  name,
  domain,
  namespaced,
}: ProjectFile): string => `import type { Manager, ManagerOptions } from "kubewright";
import { controllers } from "./controllers/index.ts";
import { webhooks } from "./webhooks/index.ts";

/** Namespace of this program. The manifests in config/ pass it to the pod. */
const namespace = process.env.POD_NAMESPACE ?? "${name}-system";

/** Options of the program, from which roles and manifests are generated. */
export const options: ManagerOptions = {
  name: "${name}",
  fieldOwner: "${name}",
  leaderElection: { id: "${name}.${domain}" },
  metrics: { bindAddress: ":8080" },
  health: { bindAddress: ":8081" },
  webhooks: {
    certificates: {
      secret: \`\${namespace}/${name}-webhook-server-cert\`,
      service: "${name}-webhook-service",
      name: "${name}",
    },
  },${namespaced ? "\n  cacheOptions: { namespaces: [namespace] }," : ""}
};

/** Adds controllers and webhooks. Must not connect to a cluster: the manager does that when it runs. */
export function setup(manager: Manager): void {
  for (const add of [...controllers, ...webhooks]) add(manager);
}
`;
