import { readFileSync } from "node:fs";
import type { TextFile } from "../project/files.ts";
import { type ProjectFile, projectFileName } from "../project/project.ts";
import { ciText, dockerfileText } from "./delivery-files.ts";
import { mainText, operatorText } from "./program-files.ts";

/** Versions of other packages in a project's `package.json`. */
const versions = {
  typebox: "1.4.3",
  typescript: "7.0.2",
  vitest: "5.1.1",
  esbuild: "0.28.2",
  "@types/node": "24.19.2",
};

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Returns the version of this package, which projects use for all of our packages. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String((manifest as { readonly version: unknown }).version);
}

/** Returns the files that `init` writes, except barrels. From then on, they belong to the user. */
export function scaffoldFiles(project: ProjectFile): TextFile[] {
  return [
    { path: projectFileName, text: jsonText(project) },
    { path: "package.json", text: jsonText(manifest(project)) },
    { path: "tsconfig.json", text: jsonText({ compilerOptions, include: ["src"] }) },
    { path: "vitest.config.ts", text: vitestText },
    { path: "Dockerfile", text: dockerfileText },
    { path: ".gitignore", text: "node_modules/\ndist/\n.kubewright/kubeconfig\n/kubeconfig\n*.kubeconfig\n" },
    { path: "README.md", text: readmeText(project) },
    ...(project.ci === "github" ? [{ path: ".github/workflows/ci.yml", text: ciText }] : []),
    { path: "src/main.ts", text: mainText },
    { path: "src/operator.ts", text: operatorText(project) },
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
      start: "node src/main.ts",
      manifests: "kubewright generate",
      "install:crds": "kubewright install",
      typecheck: "tsc",
      test: "vitest run",
      build: "kubewright build",
      image: "kubewright image",
      deploy: "kubewright deploy",
    },
    dependencies: { kubewright: version, typebox },
    devDependencies: {
      "@kubewright/certificates": version,
      "@kubewright/cli": version,
      "@kubewright/envtest": version,
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

const readmeText = ({ name, domain }: ProjectFile): string => `# ${name}

A Kubernetes operator in TypeScript for kinds of \`${domain}\`.

\`\`\`console
$ npx kubewright create api --group ${name} --version v1 --kind Site   # add a kind and its controller
$ npm run manifests                                                  # generate config/ from src/
$ npm run dev                                                        # run on an embedded control plane, restart on each save
$ npm test                                                           # test with an in-process API server
$ npm run install:crds && npm start                                  # run locally against kubectl's current cluster
$ npm run deploy -- --inline                                         # run in that cluster, without an image or a registry
$ kubectl apply -k config/default                                    # run in that cluster, from an image
\`\`\`

\`src/\` contains the source. \`config/\` is generated from it, except \`config/overlays\` and \`config/samples\`, which are yours. Set image,
replicas, arguments and namespace under \`deployment\` in \`kubewright.json\`; for other changes, add patches in \`config/overlays\`.
`;
