import { type GeneratedFile, readRepositoryFile } from "../generated-file.ts";
import type { RealServer } from "./real-server.ts";
import { type StoredObject, withoutAdditions } from "./without-additions.ts";

interface Observation {
  readonly body: StoredObject;
  readonly path: string;
}

interface Refusal {
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

const file = "packages/kube-apiserver/src/kinds/testdata/observed.json";

/** Repeats the requests in the file, which are dry-run creates, and records the resulting objects or errors. */
export async function observedObjects(server: RealServer, root: string): Promise<GeneratedFile> {
  const asked = JSON.parse(readRepositoryFile(root, file)) as readonly Observation[];
  const lines: string[] = [];
  for (const observation of asked) lines.push(JSON.stringify(await observe(server, observation)));
  return { path: file, text: `[\n${lines.join(",\n")}\n]\n` };
}

async function observe(server: RealServer, { body, path }: Observation): Promise<unknown> {
  const sent = underAccount(body);
  const { status, body: answer } = await server.call(`${path}?dryRun=All`, { method: "POST", body: sent.body });
  const parsed: unknown = JSON.parse(answer.toString());
  if (status >= 400) {
    const causes = (parsed as Refusal).details?.causes ?? [];
    return { body, errors: [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))].sort(), path };
  }
  const stored = parsed as StoredObject;
  sent.takeAway(stored);
  return { body, path, stored: withoutAdditions(stored, body) };
}

/**
 * Adds the service account to a pod, as the admission plugin ServiceAccount does before validation. This plugin is disabled here,
 * because no controller creates accounts.
 */
function underAccount(body: StoredObject): { readonly body: StoredObject; takeAway(stored: StoredObject): void } {
  const { kind, spec } = body;
  if (kind !== "Pod" || !spec || spec.serviceAccountName !== undefined) return { body, takeAway() {} };
  return {
    body: { ...body, spec: { ...spec, serviceAccountName: "default" } },
    takeAway(stored) {
      delete stored.spec?.serviceAccountName;
      delete stored.spec?.serviceAccount;
    },
  };
}
