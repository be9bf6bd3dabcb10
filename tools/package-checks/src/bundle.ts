import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";
import type { OutsideProject } from "./outside-project.ts";

const program = `
import { Client, Connection, Manager } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
const connection = Connection.fromKubeConfig(\`
current-context: here
contexts: [{ name: here, context: { cluster: here } }]
clusters: [{ name: here, cluster: { server: "http://127.0.0.1:1" } }]
\`);
const client = new Client({ connection });
const said = client.get(ConfigMap, "default/x").catch((error) => console.log(typeof Manager, error.message));
said.finally(() => connection.close());
`;

const withConsole = `
import { Manager } from "kubewright";
import { addConsole } from "kubewright/console";
const manager = new Manager({ connection: { server: "http://127.0.0.1:1" }, metrics: { bindAddress: "0" } });
const view = addConsole(manager, { bindAddress: "127.0.0.1:0" });
manager.run(AbortSignal.timeout(60_000)).catch((error) => console.log(error));
view.ready().then(async () => {
  const page = await fetch("http://127.0.0.1:" + view.port + "/app.js");
  const text = await page.text();
  process.stdout.write("page " + page.status + " " + (text.length > 10_000) + "\\n", () => process.exit());
});
`;

/** Bundles a program with esbuild's default options for Node and runs it. @throws {Error} if the bundle contains client-node */
export function bundle({ folder }: OutsideProject): string {
  writeFileSync(join(folder, "src", "bundled.js"), program);
  const esbuild = join(folder, "node_modules", ".bin", "esbuild");
  const outputs = ["--outfile=dist/bundled.cjs", "--metafile=dist/meta.json", "--log-level=error"];
  run(esbuild, ["src/bundled.js", "--bundle", "--platform=node", ...outputs], { cwd: folder });
  const { inputs } = JSON.parse(readFileSync(join(folder, "dist", "meta.json"), "utf8")) as { readonly inputs: object };
  const stray = Object.keys(inputs).find((path) => path.includes("@kubernetes/client-node"));
  if (stray) throw new Error(`the bundle contains client-node although the program does not import it: ${stray}`);
  const output = run(process.execPath, ["dist/bundled.cjs"], { cwd: folder });
  if (!output.startsWith("function get ConfigMap default/x: GET http://127.0.0.1:1/"))
    throw new Error(`the bundled program printed ${output}`);
  writeFileSync(join(folder, "src", "bundled-console.js"), withConsole);
  const consoleOutputs = ["--outfile=dist/bundled-console.cjs", "--log-level=error"];
  run(esbuild, ["src/bundled-console.js", "--bundle", "--platform=node", ...consoleOutputs], { cwd: folder });
  const shown = run(process.execPath, ["dist/bundled-console.cjs"], { cwd: folder });
  if (!shown.includes("page 200 true\n")) throw new Error(`the bundled console printed ${shown}`);
  const megabytes = (statSync(join(folder, "dist", "bundled.cjs")).size / 1e6).toFixed(1);
  return `an esbuild bundle runs: ${megabytes} MB, without client-node; a bundle with a console serves its page`;
}
