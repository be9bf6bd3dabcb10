import { readFileSync } from "node:fs";
import { request } from "node:https";
import process from "node:process";

// A program that shares no code with the libraries, for tests: each Page gets a ConfigMap with its title. The first argument switches a bug on.
const [, , bug] = process.argv;
if (bug === "crash") throw new Error("the program has a bug");

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly spec: { readonly title: string };
  readonly data?: { readonly title?: string };
}

const config = JSON.parse(readFileSync(process.env.KUBECONFIG ?? "", "utf8"));
const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
const headers = { authorization: `Bearer ${config.users[0].user.token}`, "content-type": "application/json" };

/** Sends a request. Passes the response's body to `onText` as it arrives. */
function send(method: string, path: string, body?: object, onText = (_text: string): void => {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server}${path}`, { method, headers, ca: Buffer.from(ca, "base64") }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        onText(chunk);
      });
      response.on("error", reject).on("end", () => {
        if (response.statusCode !== undefined && response.statusCode < 300) resolve(text);
        else reject(new Error(`${method} ${path}: ${text}`));
      });
    });
    sent.on("error", reject).end(body ? JSON.stringify(body) : undefined);
  });
}

const pages = "/apis/shop.example.com/v1/pages";
const list = async (path: string): Promise<{ items: Stored[]; metadata: { resourceVersion: string } }> =>
  JSON.parse(await send("GET", path));

async function reconcile(): Promise<void> {
  if (bug === "idle") return;
  const configMaps = (await list("/api/v1/configmaps")).items;
  for (const { metadata, spec } of (await list(pages)).items) {
    const { name, namespace, uid } = metadata;
    const found = configMaps.find((each) => each.metadata.name === name && each.metadata.namespace === namespace);
    const owner = { apiVersion: "shop.example.com/v1", kind: "Page", name, uid, controller: true };
    const ownerReferences = bug === "no-owner" ? [] : [owner];
    const isRight = found?.data?.title === spec.title && (found.metadata.ownerReferences?.[0]?.uid ?? uid) === uid;
    if (isRight) continue;
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const resourceVersion = found?.metadata.resourceVersion;
    const wanted = { metadata: { name, ownerReferences, resourceVersion }, data: { title: spec.title } };
    await send(found ? "PUT" : "POST", found ? `${path}/${name}` : path, wanted);
  }
}

let isDirty = true;
let wake = (): void => {};

/** Calls {@link wake} for each change of a resource. */
async function watch(path: string): Promise<never> {
  for (;;) {
    try {
      const { resourceVersion } = (await list(path)).metadata;
      await send("GET", `${path}?watch=true&resourceVersion=${resourceVersion}`, undefined, () => {
        isDirty = true;
        wake();
      });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100)); // lists anew
    }
    isDirty = true;
    wake();
  }
}

void watch(pages);
void watch("/api/v1/configmaps");
for (;;) {
  if (!isDirty) await new Promise<void>((resolve) => (wake = resolve));
  isDirty = false;
  await reconcile().catch(async () => {
    isDirty = true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
}
