import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { isInvalid, isNotFound, StaticRESTMapper } from "@kubewright/apimachinery";
import { Client, Connection, isKubeConfigError } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { afterAll, describe, expect, it } from "vitest";
import { recordingLogger } from "../informer/recording-logger.ts";
import { recordingServer, useServer } from "./server.ts";

const { env, client } = useServer();

describe("a client", () => {
  it("CL-001 requires a server, and uses a given mapper or the server's discovery", async () => {
    expect(() => new Client({ connection: { server: "" } })).toThrow();
    const mapper = new StaticRESTMapper([]);
    await using own = new Client({ connection: env().connection(), mapper });
    expect(own.mapper).toBe(mapper);
    const unknown = { group: "", version: "v1", kind: "ConfigMap" };
    await expect(own.get(unknown, "default/x")).rejects.toThrow("no matches for kind");
    await expect(client().get(unknown, "default/x")).rejects.toSatisfy(isNotFound);
  });

  it("CL-002 passes warnings either to the handler or to the log", async () => {
    const unknownField = { metadata: { generateName: "warned-", namespace: "default" }, frob: 1 };
    for (const isHandled of [true, false]) {
      const { logger, lines } = recordingLogger();
      const handled: string[] = [];
      const onWarning = isHandled ? (text: string) => void handled.push(text) : undefined;
      await using warned = new Client({ connection: env().connection(), logger, onWarning });
      await warned.create(ConfigMap, unknownField, { fieldValidation: "Warn" });
      const logged = lines.filter(({ level }) => level === "warn").map(({ warning }) => warning);
      expect([handled, logged]).toEqual(isHandled ? [['unknown field "frob"'], []] : [[], ['unknown field "frob"']]);
    }
  });

  it("CL-003 has a default owner and validation for all its writes", async () => {
    const owned = client().with({ fieldOwner: "shopkeeper" });
    const made = await owned.create(ConfigMap, { metadata: { generateName: "owned-", namespace: "default" } });
    expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["shopkeeper"]);
    const strict = client().with({ fieldValidation: "Strict" });
    const frobbed = { metadata: { generateName: "strict-", namespace: "default" }, frob: 1 };
    await expect(strict.create(ConfigMap, frobbed)).rejects.toThrow('strict decoding error: unknown field "frob"');
    const { logger, lines } = recordingLogger();
    await using warned = new Client({ connection: env().connection(), fieldValidation: "Warn", logger });
    await warned.create(ConfigMap, frobbed);
    expect(lines).toMatchObject([{ level: "warn", warning: 'unknown field "frob"' }]);
  });

  it("refuses an object of another kind before it asks the server", async () => {
    await using stub = await recordingServer();
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "web" } };
    await expect(stub.client.create(ConfigMap, secret)).rejects.toThrow("not v1, Kind=ConfigMap");
    expect(stub.asked).toEqual([]);
  });

  it("reports which fields are not valid", async () => {
    const made = client().create(ConfigMap, { metadata: { name: "Not Valid", namespace: "default" } });
    await expect(made).rejects.toSatisfy(isInvalid);
  });
});

describe("CL-004 the configuration", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const written = (name: string, contexts: readonly string[] = [name]): string => {
    const file = join(folder, name);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": contexts[0],
      clusters: contexts.map((each) => ({ name: each, cluster: { server: `https://${each}.example` } })),
      contexts: contexts.map((each) => ({ name: each, context: { cluster: each } })),
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  };
  const serverOf = (options: Parameters<typeof Connection.fromDefault>[0]): string =>
    Connection.fromDefault(options).settings.server;
  const [flag, first, second] = [written("flag"), written("first"), written("second", ["second", "other"])];

  it("CL-004 comes from the flag, from KUBECONFIG, which may name several files, or from the home folder", async () => {
    const env = { KUBECONFIG: [join(folder, "missing"), first, second].join(delimiter), HOME: folder };
    expect(serverOf({ kubeconfig: flag, env })).toBe("https://flag.example");
    expect(serverOf({ env })).toBe("https://first.example");
    expect(serverOf({ env, context: "other" })).toBe("https://other.example");
    const home = mkdtempSync(join(folder, "home-"));
    const { mkdirSync, copyFileSync } = await import("node:fs");
    mkdirSync(join(home, ".kube"));
    copyFileSync(second, join(home, ".kube", "config"));
    expect(serverOf({ env: { HOME: home } })).toBe("https://second.example");
  });

  it("CL-004 causes an error if it or its context does not exist", () => {
    for (const options of [
      { env: { HOME: join(folder, "nobody") } },
      { env: { KUBECONFIG: join(folder, "missing"), HOME: folder } },
      { kubeconfig: flag, context: "missing" },
    ])
      expect(() => serverOf(options)).toThrow(expect.toSatisfy(isKubeConfigError));
  });
});
