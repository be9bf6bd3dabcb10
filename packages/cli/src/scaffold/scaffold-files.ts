import { readFileSync } from "node:fs";
import type { TextFile } from "../project/files.ts";
import { type ProjectFile, projectFileName } from "../project/project.ts";
import { ciText, dockerfileText } from "./delivery-files.ts";
import { mainText, operatorText } from "./program-files.ts";

/** Versions that a project's `package.json` names beside this package's own. */
const versions = {
  typebox: "1.4.3",
  typescript: "7.0.2",
  vitest: "5.1.1",
  esbuild: "0.28.2",
  "@types/node": "24.19.2",
};

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The version of this package, which the project's packages have, too. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String((manifest as { readonly version: unknown }).version);
}

/** What `init` writes, but for barrels: files that are the user's from then on. */
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

A Kubernetes operator for kinds of \`${domain}\`, in TypeScript.

\`\`\`console
$ npx kubewright create api --group ${name} --version v1 --kind Site   # a kind and its controller
$ npm run manifests                                                  # config/ from src/
$ npm run dev                                                        # on a control plane of its own, again after each save
$ npm test                                                           # with an API server in the process
$ npm run install:crds && npm start                                  # on the cluster that kubectl would use
$ npm run deploy -- --inline                                         # in it, without an image or a registry
$ kubectl apply -k config/default                                    # an image of it, deployed
\`\`\`

\`src/\` is the source; \`config/\` is printed from it, but for \`config/overlays\` and \`config/samples\`, which are yours. Image, replicas,
arguments and namespace are \`deployment\` in \`kubewright.json\`; whatever else is to be different is patched in \`config/overlays\`.
`;
