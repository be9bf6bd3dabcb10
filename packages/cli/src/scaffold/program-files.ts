import type { ProjectFile } from "../project/project.ts";

/** The program: `run` has its flags and signals. */
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

/** Where this runs: what is printed into config/ says so to the pod. */
const namespace = process.env.POD_NAMESPACE ?? "${name}-system";

/** What the program is, wherever it runs. Roles and manifests are printed from it. */
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

/** Connects to nothing: the manager does, once it runs. */
export function setup(manager: Manager): void {
  for (const add of [...controllers, ...webhooks]) add(manager);
}
`;
