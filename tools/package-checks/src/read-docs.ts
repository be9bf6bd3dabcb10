import { join } from "node:path";
import type { OutsideProject } from "./outside-project.ts";
import { Program } from "./program.ts";

/** Reads the packed documentation that `npx kubewright docs` serves: the home page, the files that it loads, and the search index. */
export async function readDocs({ folder }: OutsideProject): Promise<string> {
  const cli = join("node_modules", "@kubewright", "cli", "bin", "kubewright.mjs");
  await using docs = new Program("node", [cli, "docs", "--port", "0"], folder, process.env);
  const [, url = ""] = await docs.prints(/^documentation at (http:\S+)$/m);
  const home = await read(url, "/");
  const assets = [...home.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = ""]) => path);
  if (assets.length === 0) throw new Error("the home page of the documentation loads no files");
  const texts = await Promise.all(assets.map((path) => read(url, path)));
  const box = await loadedBy(url, texts, /VPLocalSearchBox\.[\w-]+\.js/);
  const index = await loadedBy(url, [box], /@localSearchIndexroot\.[\w-]+\.js/);
  const found = index.includes('"/guide/finalizers');
  if (!found) throw new Error("the search of the documentation does not find the page about finalizers");
  return `npx kubewright docs serves the packed documentation, including its search: ${assets.length + 3} files requested`;
}

async function loadedBy(url: string, texts: readonly string[], name: RegExp): Promise<string> {
  const [file] = texts.flatMap((text) => name.exec(text) ?? []);
  if (file === undefined) throw new Error(`no file of the documentation loads ${name}`);
  return read(url, `/assets/chunks/${file}`);
}

async function read(url: string, path: string): Promise<string> {
  const answer = await fetch(url + path);
  if (!answer.ok) throw new Error(`kubewright docs answered ${answer.status} to ${path}`);
  return answer.text();
}
