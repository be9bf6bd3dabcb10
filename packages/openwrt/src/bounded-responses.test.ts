import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { OpenWrtClient, type OpenWrtClientOptions } from "./client.ts";
import { NameNotStorableError, UnexpectedResponseError } from "./errors.ts";
import type { TransportRequest } from "./transport.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const token = "0af3-token-of-all";
type Responder = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a CNF that accepts every login and then returns arbitrary responses. Records the requests. */
async function hostile(answer: Responder, options: Partial<OpenWrtClientOptions> = {}) {
  const paths: string[] = [];
  const server: Server = createServer((request, response) => {
    response.on("error", () => {});
    if (request.method === "POST" && request.url === "/cgi-bin/luci/")
      return void response.writeHead(302, { "set-cookie": `sysauth=${token}` }).end();
    paths.push(`${request.method} ${request.url}`);
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => server.closeAllConnections() }, server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new OpenWrtClient({ url, password: "p", ...options });
  open.unshift(client);
  return { client, url, paths };
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail("was not refused"),
    (error: unknown) => error,
  );

/** Writes endlessly, as fast as the client reads; `written` is the amount. */
function flood(status: number) {
  const sent = { bytes: 0 };
  const chunk = Buffer.alloc(65_536, 0x20);
  const answer: Responder = (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) sent.bytes += chunk.length;
      sent.bytes += chunk.length;
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };
  return { answer, sent };
}

describe("a response of a CNF", () => {
  it("is aborted when it exceeds the limit, and the error names CNF, path, limit and remedy", async () => {
    const { answer, sent } = flood(200);
    const { client, url } = await hostile(answer, { maxResponseBytes: 300_000 });

    const error = await caught(client.firewall.rules.list());

    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(String(error)).toContain(
      `GET ${url}/cgi-bin/luci/sdewan/firewall/v1/rules: the response is larger than 300000 bytes; if this is the expected size, increase maxResponseBytes`,
    );
    expect(sent.bytes).toBeLessThan(20_000_000);
  });

  it("is read completely up to the limit, to the byte", async () => {
    const text = `{"zones":[]}${" ".repeat(88)}`;
    const exact = await hostile((response) => response.end(text), { maxResponseBytes: 100 });
    expect(await exact.client.firewall.zones.list()).toEqual([]);
    const short = await hostile((response) => response.end(`${text} `), { maxResponseBytes: 100 });
    expect(String(await caught(short.client.firewall.zones.list()))).toContain("larger than 100 bytes");
  });

  it("that refuses is read up to its reason, however long it is", async () => {
    const { answer } = flood(428);
    const { client } = await hostile(answer);

    const error = await caught(client.firewall.zones.list());

    expect(error).toMatchObject({ code: 428 });
    expect(String(error).length).toBeLessThan(3_000);
    expect((error as UnexpectedResponseError).body.length).toBeLessThan(20_000);
  });

  it.each([
    [399, "larger than 100 bytes"],
    [400, "400"],
  ])("of %i that is too long gives the part that counts", async (status, expected) => {
    const { client } = await hostile((response) => response.writeHead(status).end(" ".repeat(101)), {
      maxResponseBytes: 100,
    });
    const error = (await caught(client.firewall.zones.list())) as UnexpectedResponseError;
    expect(String(error)).toContain(expected);
  });

  it("is shown without the log-in's token", async () => {
    const { client } = await hostile((response, { headers }) =>
      response.writeHead(500).end(JSON.stringify({ message: `no ${headers.cookie} nor ${headers.cookie?.slice(8)}` })),
    );
    const error = await caught(client.firewall.zones.list());
    expect(String(error)).toContain('{"message":"no sysauth=*** nor ***"}');
    expect((error as UnexpectedResponseError).body).not.toContain(token);
  });

  it("in an unexpected form is shown without token and password", async () => {
    const { client } = await hostile(
      (response, { headers }) =>
        response.end(JSON.stringify({ said: headers.cookie?.slice(8), password: "pass-word" })),
      { password: "pass-word-of-all" },
    );
    for (const call of [client.firewall.zones.list(), client.services(), client.firewall.zones.get("a")])
      expect(String(await caught(call))).toContain('Error Message: {"said":"***","password":"***"}');
    const { client: other } = await hostile((response) => response.end('{"said":"pass-word-of-all"}'), {
      password: "pass-word-of-all",
    });
    for (const call of [other.firewall.zones.list(), other.services()])
      expect(String(await caught(call))).toContain('Error Message: {"said":"***"}');
  });

  it("costs no more if many keys were sent, because only what is shown is masked", async () => {
    const text = JSON.stringify({ name: "r", remark: "a".repeat(4_000_000) });
    const { client } = await hostile((response) => response.end(text));
    const local_private_cert = Array.from({ length: 100_000 }, (_, index) => `key${index}`).join("___");
    const before = process.cpuUsage();
    await client.ipsec.remotes.put("r", { local_private_cert } as never);
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(2_000); // milliseconds; searching for all of them would take many times that
  });

  it("that arrives a byte at a time ends with the request's timeout", async () => {
    const { client } = await hostile(
      (response) => {
        const drip = setInterval(() => response.write(" "), 10);
        response.on("close", () => clearInterval(drip));
      },
      { requestTimeoutMs: 200 },
    );

    expect(String(await caught(client.firewall.zones.list()))).toContain("no response within 200 ms");
  });

  it("has a limit on its headers", async () => {
    const { client } = await hostile((response) => {
      for (let index = 0; index < 40; index++) response.setHeader(`x-${index}`, "a".repeat(1_000));
      response.end('{"zones":[]}');
    });

    expect(String(await caught(client.firewall.zones.list()))).toContain("Headers Overflow");
  });

  it("is refused if it is nested deeper, or has more values, than any configuration", async () => {
    const deep = await hostile((response) => response.end(`${"[".repeat(200_000)}${"]".repeat(200_000)}`));
    expect(String(await caught(deep.client.firewall.zones.list()))).toContain("is nested more than 64 levels deep");
    const wide = await hostile((response) => response.end(`{"zones":[${"{},".repeat(200_000)}{}]}`));
    expect(String(await caught(wide.client.firewall.zones.list()))).toContain("more than 250000 values");
  });

  it.each([
    ["quotation marks that never pair", `{"a":${'"\\'.repeat(500_000)}`],
    ["escapes without end", `"${"\\".repeat(1_000_000)}`],
    ["texts without end", '"a'.repeat(700_000)],
    ["brackets that never close", `{"a":${"[".repeat(60)}${'"\\",'.repeat(500_000)}`],
    ["a key of secrets, again and again", '"password":"\\'.repeat(150_000)],
  ])("is scanned once: %s", async (_what, text) => {
    const { client } = await hostile((response) => response.end(text));
    const began = performance.now();

    await caught(client.firewall.zones.list());

    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it("cannot redirect to another host", async () => {
    const stolen: string[] = [];
    const thief = createServer((request, response) => {
      stolen.push(`${request.method} ${request.url}`);
      response.end('{"zones":[]}');
    });
    await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
    open.push(thief);
    const location = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/steal`;
    for (const status of [301, 302, 307, 308]) {
      const { client } = await hostile((response) => void response.writeHead(status, { location }).end());
      expect(await caught(client.firewall.zones.create({ name: "a" } as never))).toBeInstanceOf(
        UnexpectedResponseError,
      );
    }
    expect(stolen).toEqual([]);
  });

  it("is data: names such as __proto__ and constructor change nothing else", async () => {
    const text =
      '{"__proto__":{"polluted":1},"rules":[{"name":"__proto__","__proto__":{"polluted":1},"constructor":{}}]}';
    const { client } = await hostile((response) => response.end(text));

    const [rule] = await client.firewall.rules.list();

    expect(Object.hasOwn(rule ?? {}, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(rule)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each(['{"rules":[null]}', '{"rules":[1]}', '{"rules":["x"]}', '{"rules":[[]]}', '{"rules":{}}', "null", "5"])(
    "is refused if it does not contain a list of objects: %s",
    async (text) => {
      const { client } = await hostile((response) => response.end(text));
      expect(await caught(client.firewall.rules.list())).toBeInstanceOf(UnexpectedResponseError);
    },
  );

  it.each(["[null]", '["x"]', "[{}]", '[{"name":1}]', "{}", "null"])(
    "is refused if it does not contain modules of the status: %s",
    async (text) => {
      const { client } = await hostile((response) => response.end(text));
      expect(await caught(client.status())).toBeInstanceOf(UnexpectedResponseError);
    },
  );

  it("is refused if it does not contain names of services", async () => {
    const { client } = await hostile((response) => response.end('{"services":[{"toString":1}]}'));
    expect(await caught(client.services())).toBeInstanceOf(UnexpectedResponseError);
  });
});

describe("the session cookie of a CNF", () => {
  /** Logs in to a CNF that sends these cookies. Returns the cookies that the client sends back. */
  async function sentBack(cookies: readonly string[]): Promise<readonly (string | undefined)[]> {
    const sent: (string | undefined)[] = [];
    const transport = () => ({
      send: async ({ method, headers }: TransportRequest) => {
        const isLogin = method === "POST";
        if (!isLogin) sent.push(headers?.cookie);
        return { status: isLogin ? 302 : 200, contentType: "", cookies, body: '{"services":[]}' };
      },
      close: async () => {},
    });
    await using client = new OpenWrtClient({ url: "http://cnf.invalid", password: "p", transport });
    await client.services();
    return sent;
  }

  it.each(["sysauth=a b", "sysauth=a\u0001b", "sysauth=a\r\nHost: b", "sysauth=é", "sysauth=", "xsysauth=1", ""])(
    "is refused if a header cannot contain it: %j",
    async (cookie) => {
      const error = await caught(sentBack([cookie]));
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(String(error)).toContain("the login response contains no session cookie");
    },
  );

  it("has at most 4,096 characters, and is the first valid one of many", async () => {
    expect(await caught(sentBack([`sysauth=${"x".repeat(4_097)}`]))).toBeInstanceOf(UnexpectedResponseError);
    const long = "x".repeat(4_096);
    const many = [...Array(10_000).fill("other=1; Path=/"), `sysauth=${long}; Path=/`, "sysauth=second"];
    expect(await sentBack(many)).toEqual([`sysauth=${long}`]);
  });
});

it("keeps a new session if the former one is refused late", async () => {
  const late = Promise.withResolvers<void>();
  let [logins, calls] = [0, 0];
  const response = { contentType: "", cookies: [] as string[], body: '{"services":[]}' };
  const transport = () => ({
    send: async ({ method, headers }: TransportRequest) => {
      if (method === "POST") return { ...response, status: 302, cookies: [`sysauth=${++logins}`] };
      const isSecond = ++calls === 2;
      if (headers?.cookie !== "sysauth=1") return { ...response, status: 200 };
      if (isSecond) await late.promise;
      return { ...response, status: 403 };
    },
    close: async () => {},
  });
  await using client = new OpenWrtClient({ url: "http://cnf.invalid", password: "p", transport });
  const [first, second] = [client.services(), client.services()];
  await first;
  late.resolve();
  await second;
  expect(logins).toBe(2);
});

it.each(["https://root@cnf.example", "https://:secret@cnf.example"])("refuses credentials in the URL %s", (url) => {
  const create = () => new OpenWrtClient({ url, password: "p" });
  expect(create).toThrow("a CNF's URL must not contain credentials");
  expect(create).not.toThrow("secret");
});

describe("a name that would change the address", () => {
  const names = ["..", ".", "", "a/b", "a?x", "a#b", "a\\b", "../../x", "%2e%2e", "a b\r\nX: y", "é"];

  it.each(names)("is refused, and nothing is sent: %j", async (name) => {
    const { client, paths } = await hostile((response) => response.end('{"name":"x","status":{}}'));
    const attempts = [
      () => client.interfaces.set(name, "down"),
      () => client.interfaces.get(name),
      () => client.statusOf(name),
      () => client.firewall.zones.get(name),
      () => client.firewall.zones.put(name, {} as never),
      () => client.firewall.zones.delete(name),
      () => client.svc.delete(name),
    ];
    for (const attempt of attempts) expect(await caught(attempt())).toBeInstanceOf(NameNotStorableError);
    expect(paths).toEqual([]);
  });

  it.each(["eth0;reboot", "$(reboot)", "-a", "a|b", "a234567890123456"])(
    "or that has a special meaning for a CNF's shell: %s",
    async (name) => {
      const { client, paths } = await hostile((response) => response.end("{}"));
      expect(await caught(client.interfaces.set(name, "down"))).toBeInstanceOf(NameNotStorableError);
      expect(paths).toEqual([]);
    },
  );

  it("is refused even as part of a collection's path", async () => {
    const { client, paths } = await hostile((response) => response.end('{"zones":[]}'));
    for (const path of ["../../admin/zones", "firewall/v1/../zones", "a?b/zones", "a#b/zones"])
      expect(await caught(client.collection(path).list())).toBeInstanceOf(TypeError);
    expect(paths).toEqual([]);
  });

  it("is accepted if Linux and the CNF accept it", async () => {
    const { client, paths } = await hostile((response) => response.end('{"message":"success"}'));
    for (const name of ["eth0", "net1.100", "br-lan", "eth0:1"]) await client.interfaces.set(name, "up");
    expect(paths).toEqual(
      ["eth0", "net1.100", "br-lan", "eth0:1"].map((name) => `PUT /cgi-bin/luci/sdewan/v1/interfaces/${name}`),
    );
  });
});
