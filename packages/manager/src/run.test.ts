import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";

const program = `
  import { run } from ${JSON.stringify(new URL("./run.ts", import.meta.url).href)};
  const connection = { server: "http://127.0.0.1:1" };
  await run((manager) => {
    const noLuck = new Error("no luck");
    const luck = () => Promise.reject(noLuck);
    if (process.env.LUCKLESS) manager.add({ group: "http", run: luck, ready: luck });
    manager.add({ group: "others", run: (signal) => {
      console.log("running");
      return new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    } });
  }, { name: "shop", connection, metrics: { bindAddress: "127.0.0.1:0" } });
  console.log("ended");
`;

const start = (...argv: string[]) => startOf(program, ...argv);

function startOf(script: string, ...argv: string[]) {
  const args = ["--conditions=@kubewright/source", "--input-type=module", "-e", script, "--", "main.ts", ...argv];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { child, ended: output.then(([out, err, [code]]) => ({ out, err, code })) };
}

it("ends gracefully on a signal", async () => {
  const { child, ended } = start();
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ out: "running\nended\n", code: 0 });
});

it("reports an invalid flag in one line, and exits with 2", async () => {
  expect(await start("--webhook-port", "https").ended).toEqual({
    out: "ended\n",
    err: '--webhook-port "https": expected a number from 0 to 65535\n',
    code: 2,
  });
});

it.each([["--leader-elect"], ["--shards", "4"]])(
  "reports the flag if the Lease has no namespace, without a stack: %s",
  async (...flags) => {
    const elected = program.replace('name: "shop",', 'name: "shop", leaderElection: { id: "shop" },');
    const namespace = process.env.POD_NAMESPACE;
    delete process.env.POD_NAMESPACE;
    onTestFinished(() => {
      if (namespace !== undefined) process.env.POD_NAMESPACE = namespace;
    });
    expect(await startOf(elected, ...flags).ended).toEqual({
      out: "ended\n",
      err: expect.stringMatching(
        new RegExp(
          `^(?:\\{.*\\}\n)*${flags[0]}: the Lease has no namespace, because this process is not in a pod; set --leader-election-namespace NAME\n$`,
        ),
      ),
      code: 2,
    });
  },
);

it("reports an invalid address and a missing kubeconfig in one line", async () => {
  for (const name of ["metrics-bind-address", "health-probe-bind-address"])
    expect(await start(`--${name}=80x`).ended).toEqual({
      out: "ended\n",
      err: `--${name} "80x": expected "host:port", ":port", or "0" to disable it\n`,
      code: 2,
    });
  const elsewhere = program.replace("connection, metrics", "logger: silentLogger, metrics");
  const logger = `import { silentLogger } from ${JSON.stringify(import.meta.resolve("@kubewright/log"))};`;
  const { out, err, code } = await startOf(`${logger}${elsewhere}`, "--kubeconfig", "/no/such/file").ended;
  expect({ out: out.replace("running\n", ""), err, code }).toEqual({
    out: "ended\n",
    err: expect.stringMatching(/^cannot read kubeconfig \/no\/such\/file: ENOENT[^\n]*\n$/),
    code: 1,
  });
});

it("lists its flags when asked", async () => {
  const { out, code } = await start("--help").ended;
  expect(out).toMatch(/^Usage: shop \[flags\]\n\n {2}--kubeconfig FILE /);
  expect(code).toBe(0);
});

it("reports an address in use in one line, and exits with 1", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { out, err, code } = await start("--metrics-bind-address", `127.0.0.1:${port}`).ended;
  taken.close();
  const lines = `${out}${err}`.split("\n").filter((line) => line.includes("EADDRINUSE"));
  expect(lines).toEqual([
    `metrics server failed to listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; stop the process that uses the address, or set another address with --metrics-bind-address (metrics.bindAddress), or 0 to disable it`,
  ]);
  expect([code, /\n {4}at /.test(err)]).toEqual([1, false]);
});

it("throws the program's own errors", async () => {
  process.env.LUCKLESS = "1";
  onTestFinished(() => void delete process.env.LUCKLESS);
  const { out, err, code } = await start().ended;
  expect([code, out.includes("no luck")]).toEqual([1, false]); // the caller handles the error, so it is not logged
  expect(err).toMatch(/^Error: no luck\n {4}at /m);
});
