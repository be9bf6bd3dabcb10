import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/**
 * Input of an npm registry that runs as a separate process. The registry serves the packed packages and redirects requests for other
 * packages to `upstream`, so that the checks can run the same commands as users. It prints its URL on the first line, and exits when its
 * standard input is closed.
 */
export interface Registry {
  readonly upstream: string;
  readonly packages: readonly { readonly name: string; readonly folder: string; readonly path: string }[];
}

interface Served {
  readonly manifest: { readonly version: string };
  readonly tarball: Buffer;
}

const [list = ""] = process.argv.slice(2);
const { upstream, packages }: Registry = JSON.parse(readFileSync(list, "utf8"));
const served = new Map(
  packages.map(({ name, folder, path }): [string, Served] => [
    name,
    { manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), tarball: readFileSync(path) },
  ]),
);

const server = createServer((request, response) => {
  const path = decodeURIComponent((request.url ?? "/").slice(1)).split("?", 1)[0] ?? "";
  const name = path.replace(/\/-\/tarball\.tgz$/, "");
  const one = served.get(name);
  // Responses must not be cached, because the next run serves other packages with the same names.
  response.setHeader("cache-control", "no-store");
  if (!one) {
    response.writeHead(302, { location: new URL(request.url ?? "/", upstream).href }).end();
  } else if (path !== name) {
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(one.tarball);
  } else {
    const { version } = one.manifest;
    const tarball = `http://127.0.0.1:${portOf()}/${name}/-/tarball.tgz`;
    const integrity = `sha512-${createHash("sha512").update(one.tarball).digest("base64")}`;
    const body = {
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...one.manifest, dist: { tarball, integrity } } },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }
});

const portOf = (): number => (server.address() as AddressInfo).port; // it listens on TCP

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${portOf()}/`));
process.stdin.resume().on("end", () => process.exit(0));
