import { readFileSync, writeFileSync } from "node:fs";
import { ApiServer } from "./server/api-server.ts";
const server = await ApiServer.start({ tls: false });
const admin = server.addUser({ name: "probe", groups: ["system:masters"] });
const corpus = JSON.parse(readFileSync("/tmp/corpus.json", "utf8"));
const out: unknown[] = [];
await fetch(`${server.url}/api/v1/namespaces`, {method: "POST", headers: {"content-type":"application/json"}, body: JSON.stringify({apiVersion:"v1",kind:"Namespace",metadata:{name:"default"}})});
await fetch(`${server.url}/api/v1/namespaces/default/serviceaccounts`, {method: "POST", headers: {"content-type":"application/json", authorization: `Bearer ${(admin as any).token}`}, body: JSON.stringify({apiVersion:"v1",kind:"ServiceAccount",metadata:{name:"default"}})});
for (const { path, body } of corpus) {
  const r = await fetch(`${server.url}${path}?dryRun=All&fieldValidation=Ignore`, { method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${(admin as any).token}` }, body: JSON.stringify(body) });
  const text = await r.text();
  let answer: unknown = text; try { answer = JSON.parse(text); } catch {}
  out.push({ path, body, code: r.status, answer });
}
writeFileSync("/tmp/ours.json", JSON.stringify(out));
await server.stop();
