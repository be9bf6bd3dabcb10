import { isNotFound } from "@kubewright/apimachinery";
import {
  aroundWrites,
  Client,
  createOrPatchWithResult,
  createOrUpdateWithResult,
  type Mutate,
  type ReadWriter,
  type WriteCall,
} from "@kubewright/client";
import { Deployment } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let env: Environment;
let client: Client;
const calls: WriteCall[] = [];
let recorded: ReadWriter;
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
  recorded = aroundWrites(client, (call, next) => {
    calls.push(call);
    return next(call);
  });
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
});

let count = 0;
const newKey = (): string => {
  calls.length = 0;
  return `default/web-${++count}`;
};
const made: Mutate<Deployment> = (draft) => {
  const labels = { app: "web" };
  draft.spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  };
};
const scaled: Mutate<Deployment> = (draft) => {
  if (draft.spec) draft.spec.replicas = 3;
};
const unscaled: Mutate<Deployment> = (draft) => {
  if (draft.spec) draft.spec.replicas = 1;
};
const observed: Mutate<Deployment> = (draft) => {
  draft.status = { ...draft.status, observedGeneration: 1, replicas: 1 };
};
const present = async (): Promise<string> => {
  const key = newKey();
  await createOrUpdateWithResult(client, Deployment, key, made);
  return key;
};
const verbs = (): string[] => calls.map(({ verb, subResource }) => (subResource ? `${verb} ${subResource}` : verb));

const forms = { createOrUpdate: createOrUpdateWithResult, createOrPatch: createOrPatchWithResult };
type Form = keyof typeof forms;
const both: readonly (readonly [id: string, form: Form])[] = [
  ["of update", "createOrUpdate"],
  ["of patch", "createOrPatch"],
];

describe("createOrUpdate", () => {
  it("FO-015 FO-024 creates a missing object, without a status", async () => {
    for (const [, form] of both) {
      const key = newKey();
      const { object, result } = await forms[form](recorded, Deployment, key, async (draft) => {
        await made(draft);
        await observed(draft);
      });
      expect(result).toBe("created");
      expect(verbs()).toEqual(["create"]);
      const stored = await client.get(Deployment, key);
      expect(object).toEqual(stored);
      expect(stored.spec?.replicas).toBe(1);
      expect(stored.status?.replicas).toBeUndefined();
    }
  });

  it("FO-016 updates an existing object", async () => {
    const key = await present();
    const { object, result } = await createOrUpdateWithResult(recorded, Deployment, key, scaled);
    expect([result, verbs()]).toEqual(["updated", ["update"]]);
    expect(object.spec?.replicas).toBe(3);
    expect(await client.get(Deployment, key)).toEqual(object);
  });

  it("FO-017 writes nothing if nothing was changed", async () => {
    const key = await present();
    const { object, result } = await createOrUpdateWithResult(recorded, Deployment, key, unscaled);
    expect([result, verbs()]).toEqual(["unchanged", []]);
    expect(object).toEqual(await client.get(Deployment, key));
  });

  it.each(both)("FO-018 FO-024 refuses another name or namespace, and writes nothing: %s", async (_, form) => {
    for (const key of [newKey(), await present()])
      for (const change of [{ name: "other" }, { namespace: "other" }]) {
        const refused = forms[form](recorded, Deployment, key, (draft) => void Object.assign(draft.metadata, change));
        await expect(refused).rejects.toThrow(`${form} Deployment ${key}: the name or namespace was changed`);
        expect(verbs()).toEqual([]);
      }
  });

  it.each(both)("FO-019 FO-024 rejects before the change if the object cannot be read: %s", async (_, form) => {
    const error = new Error("no answer");
    const broken: ReadWriter = { ...recorded, get: () => Promise.reject(error) };
    let isCalled = false;
    const failing = forms[form](broken, Deployment, newKey(), () => {
      isCalled = true;
    });
    await expect(failing).rejects.toBe(error);
    expect([isCalled, verbs()]).toEqual([false, []]);
  });
});

describe("createOrPatch", () => {
  const patches = (): unknown[] => calls.map((call) => (call.verb === "patch" ? call.patch : call));

  it("FO-020 sends the differences as a merge patch, and returns the stored object", async () => {
    const key = await present();
    const { object, result } = await createOrPatchWithResult(recorded, Deployment, key, scaled);
    expect([result, verbs()]).toEqual(["updated", ["patch"]]);
    expect(patches()).toEqual([{ spec: { replicas: 3 } }]);
    expect(object).toEqual(await client.get(Deployment, key));
    expect(object.metadata.generation).toBe(2);
  });

  it("FO-021 sends nothing if nothing was changed", async () => {
    const key = await present();
    const { result } = await createOrPatchWithResult(recorded, Deployment, key, unscaled);
    expect([result, verbs()]).toEqual(["unchanged", []]);
  });

  it("FO-022 patches only the status if only that was changed", async () => {
    const key = await present();
    const { object, result } = await createOrPatchWithResult(recorded, Deployment, key, observed);
    expect([result, verbs()]).toEqual(["updatedStatusOnly", ["patch status"]]);
    expect(patches()).toEqual([{ status: { observedGeneration: 1, replicas: 1 } }]);
    expect(object.status?.replicas).toBe(1);
    expect(object).toEqual(await client.get(Deployment, key));
  });

  it("FO-023 patches the object, then its status, if both were changed", async () => {
    const key = await present();
    const { object, result } = await createOrPatchWithResult(recorded, Deployment, key, async (draft) => {
      await scaled(draft);
      await observed(draft);
    });
    expect([result, verbs()]).toEqual(["updatedStatus", ["patch", "patch status"]]);
    expect(patches()).toEqual([{ spec: { replicas: 3 } }, { status: { observedGeneration: 1, replicas: 1 } }]);
    const stored = await client.get(Deployment, key);
    expect(object).toEqual(stored);
    expect([stored.spec?.replicas, stored.status?.replicas]).toEqual([3, 1]);
  });

  it("FO-024 rejects like createOrUpdate if the object is deleted meanwhile", async () => {
    const key = await present();
    const deleted = createOrPatchWithResult(recorded, Deployment, key, async (draft) => {
      await client.delete(Deployment, key);
      if (draft.spec) draft.spec.replicas = 3;
    });
    await expect(deleted).rejects.toSatisfy(isNotFound);
  });
});
