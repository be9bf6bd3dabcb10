import { readFileSync } from "node:fs";
import type { TextFile } from "../project/files.ts";
import { type ProjectFile, projectFileName } from "../project/project.ts";
import { ciText, dockerfileText, dockerignoreText } from "./delivery-files.ts";
import { endToEndText, mainText, operatorText, simulationText } from "./program-files.ts";

/** Versions of other packages in a project's `package.json`. */
const versions = {
  typebox: "1.4.3",
  typescript: "7.0.2",
  vitest: "5.1.1",
  vite: "8.3.8", // a peer dependency of Vitest, which npm would otherwise install in its newest version
  esbuild: "0.28.2",
  "@biomejs/biome": "2.6.8",
  "@types/node": "24.19.2",
};

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Returns the version of this package. Projects use the same version for all Kubewright packages. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String((manifest as { readonly version: unknown }).version);
}

/** Returns the files that `init` writes, except barrels. Once written, the files belong to the user. */
export function scaffoldFiles(project: ProjectFile): TextFile[] {
  return [
    { path: projectFileName, text: jsonText(project) },
    { path: "package.json", text: jsonText(manifest(project)) },
    { path: "tsconfig.json", text: jsonText({ compilerOptions, include: ["src", "test"] }) },
    { path: "biome.json", text: biomeText },
    { path: "vitest.config.ts", text: vitestText },
    { path: "Dockerfile", text: dockerfileText },
    { path: ".dockerignore", text: dockerignoreText },
    { path: ".gitignore", text: "node_modules/\ndist/\n.kubewright/kubeconfig\n/kubeconfig\n*.kubeconfig\n" },
    { path: "README.md", text: readmeText(project) },
    ...(project.ci === "github" ? [{ path: ".github/workflows/ci.yml", text: ciText }] : []),
    { path: "src/main.ts", text: mainText },
    { path: "src/operator.ts", text: operatorText(project) },
    { path: "src/simulation.test.ts", text: simulationText },
    { path: "test/e2e.test.ts", text: endToEndText },
    { path: "test/vitest.config.ts", text: endToEndVitestText },
  ];
}

function manifest({ name, version }: ProjectFile): object {
  const { typebox, ...tools } = versions;
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=22.19" },
    scripts: {
      dev: "kubewright dev",
      controlplane: "kubewright controlplane",
      start: "node src/main.ts",
      manifests: "kubewright generate",
      check: "kubewright generate --check && kubewright check",
      typecheck: "tsc",
      lint: "biome check",
      format: "biome check --write",
      test: "vitest run",
      "test:e2e": "vitest run --config test/vitest.config.ts",
      build: "kubewright build",
      image: "kubewright image",
      chart: "kubewright generate helm",
      "install:crds": "kubewright install",
      "uninstall:crds": "kubewright uninstall",
      deploy: "kubewright deploy",
      undeploy: "kubewright undeploy",
      doctor: "kubewright doctor",
      console: "kubewright console",
      upgrade: "kubewright upgrade",
    },
    dependencies: { kubewright: version, typebox },
    devDependencies: {
      "@kubewright/certificates": version,
      "@kubewright/cli": version,
      "@kubewright/envtest": version,
      "@kubewright/simulation": version,
      ...tools,
    },
  };
}

const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "esnext.disposable"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

const vitestText = `import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["src/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000, passWithNoTests: true },
});
`;

/** Settings of the tests that need a control plane, apart from the others, because they take longer. */
const endToEndVitestText = `import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/**/*.test.ts"], testTimeout: 180_000, hookTimeout: 60_000 },
});
`;

/** Biome lints and formats. Generated files are excluded. */
const biomeText = `{
  "files": {
    "includes": ["src/**", "!src/*/index.ts", "!src/clientset.ts", "!src/external", "test/**"]
  },
  "formatter": { "indentStyle": "space", "lineWidth": 100 }
}
`;

const readmeText = ({ name, domain }: ProjectFile): string => `# ${name}

A Kubernetes operator in TypeScript for kinds of \`${domain}\`.

## Prerequisites

- Node.js 22.19 or newer, and npm. Development and tests need neither a cluster nor Docker.
- For the image: a registry. \`npm run image\` needs no Docker; the \`Dockerfile\` is for those who use it.
- For deployment: a Kubernetes cluster (1.30 or newer), a kubeconfig, and \`kubectl\` for the commands below that use it.

## Commands

\`\`\`console
$ npx kubewright create api --group ${name} --version v1 --kind Site   # add a kind and its controller
$ npm run manifests                                                  # generate config/ from src/
$ npm run dev                                                        # run on an embedded control plane, restart on each save
$ npm test                                                           # test with an in-process API server
$ npm run test:e2e                                                   # deploy to a local control plane, and test there
$ npm run format && npm run lint && npm run typecheck                # format and check the code
$ npm run check                                                      # find outdated manifests and breaking changes
$ npm run image -- --push --tag registry.example.com/${name}:0.1.0   # build and push an image
$ npm run install:crds && npm start                                  # run locally against kubectl's current cluster
$ npm run deploy -- --inline                                         # run in that cluster, without an image or a registry
$ kubectl apply -k config/default                                    # run in that cluster, from an image
\`\`\`

\`src/\` contains the source. \`config/\` is generated from it, except \`config/overlays\` and \`config/samples\`, which are yours. Set image,
replicas, arguments and namespace under \`deployment\` in \`kubewright.json\`; for other changes, add patches in \`config/overlays\`.

## Metrics

Metrics are served over HTTPS, only to users that may read them. The ClusterRole \`${name}-metrics-reader\` grants that:

\`\`\`console
$ kubectl create clusterrolebinding ${name}-metrics-reader --clusterrole ${name}-metrics-reader --serviceaccount monitoring:prometheus-k8s
$ kubectl apply -k config/prometheus                                 # ServiceMonitor and alerts; needs the Prometheus operator
\`\`\`
`;
