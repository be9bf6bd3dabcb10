import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { addConsole, type Console } from "@kubewright/console";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Demo } from "../../demo/demo.ts";
import { install } from "../../demo/install.ts";
import { readManifests } from "../../demo/manifests.ts";
import { operatorPanels } from "./operator-panels.ts";

const needs = { meta: { needs: "Chromium, at the path in KUBEWRIGHT_CHROMIUM" } };

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.KUBEWRIGHT_CHROMIUM ?? usual.find((path) => existsSync(path)) ?? "";
const isThere = existsSync(executablePath);
if (!isThere) console.log("the browser tests of the panels are skipped, because there is no Chromium");

const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const wide = { viewport: { width: 1280, height: 800 } };
const narrow = { viewport: { width: 390, height: 844 } };
const way = "panels/ways/IpsecHost%2Fedge-a%2Fipsechost";

describe.skipIf(!isThere)("the operator's panels in Chromium", { ...needs, timeout: 120_000 }, () => {
  let demo: Demo;
  let view: Console | undefined;
  let browser: Browser;
  beforeAll(async () => {
    demo = await Demo.start({
      cnfs: await readManifests(folder("cnfs")),
      operator: {
        checkIntervalMs: 500,
        prepare: (manager, operatorView) => {
          view = addConsole(manager, { bindAddress: "127.0.0.1:0" });
          for (const panel of operatorPanels(operatorView)) view.panel(panel);
        },
      },
    });
    const refused = await install(demo.client, await readManifests(folder("samples")));
    expect(refused).toEqual([]);
    browser = await chromium.launch({ executablePath, args, headless: true });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  async function open(options: BrowserContextOptions): Promise<{ page: Page; wrong: string[] }> {
    const page = await (await browser.newContext(options)).newPage();
    page.setDefaultTimeout(60_000);
    const wrong: string[] = [];
    page.on("console", (line) => {
      if (line.type() === "error") wrong.push(line.text());
    });
    page.on("pageerror", (error) => wrong.push(String(error)));
    await page.goto(view?.newUrl() ?? "");
    await page.getByRole("status").getByText("live").waitFor();
    return { page, wrong };
  }

  const visit = (page: Page, path: string) => page.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`);
  const simulatorOf = (namespace: string) => {
    const [, simulator] = [...demo.simulators.running].find(([key]) => key.startsWith(`${namespace}/`)) ?? [];
    return simulator ?? expect.unreachable();
  };

  it("show a tunnel and a CNF that go down", async () => {
    const { page, wrong } = await open(wide);
    await page.getByRole("link", { name: "Sites and tunnels" }).click();
    const toHub = page.getByRole("link", { name: /^sdewan-edge-a to sdewan-cnf-hub: / });
    const row = page.getByRole("row", { name: /sdewan-edge-a.*IpsecHost edge-a\/ipsechost/ });
    await page.getByRole("link", { name: /^sdewan-edge-a to sdewan-cnf-hub: up for/ }).waitFor();
    await row.getByText("● up").waitFor();

    simulatorOf("edge-a").ipsec.isPeerDown = true;
    await page.getByRole("link", { name: /^sdewan-edge-a to sdewan-cnf-hub: down for/ }).waitFor();
    await row.getByText("✖ down").waitFor();
    await toHub.getByText("✖").waitFor();
    await page.getByRole("link", { name: /^sdewan-edge-b to sdewan-cnf-hub: up for/ }).waitFor();
    simulatorOf("edge-a").ipsec.isPeerDown = false;
    await row.getByText("● up").waitFor();

    const stopped = simulatorOf("edge-b");
    stopped.dropNext({ count: 1_000_000 });
    await page.getByRole("link", { name: /^sdewan-edge-b, in edge-b, unreachable for/ }).waitFor();
    await page.getByRole("link", { name: /^sdewan-edge-b to sdewan-cnf-hub: unknown: CNF unreachable for/ }).waitFor();
    await page.getByRole("link", { name: "CNFs" }).click();
    const pod = page.getByRole("row", { name: /edge-b\// });
    await pod.getByText("✖ unreachable").waitFor();
    stopped.clearFaults();
    await pod.getByText("● reachable").waitFor();
    expect(await pod.textContent()).toMatch(/firewall \d+, ipsec 2/);
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it("show the path of a resource to the CNF, with its keys hidden", async () => {
    const { page, wrong } = await open(wide);
    await page.getByRole("link", { name: "From resource to CNF" }).click();
    await page.getByRole("searchbox").fill("ipsechost edge-a");
    await page.getByRole("row").nth(2).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "IpsecHost edge-a/ipsechost" }).click();
    await page.getByText("1 of 1 pod").waitFor();
    const steps = await page.locator(".stage").allTextContents();
    expect(steps.join(" | ")).toMatch(
      /Resource.*IpsecHost edge-a\/ipsechost.*sdewan-edge-a.*Deployment edge-a\/.*sdewan\/ipsec\/v1\/remotes.*config remote 'ipsechost'.*restart of ipsec/,
    );
    await page.getByRole("row", { name: "ipsec.ipsechost (remote) pre_shared_key ***" }).waitFor();
    await page.getByRole("row", { name: "ipsec.connA (tunnel) remote_subnet" }).waitFor();
    expect(await page.content()).not.toContain("test_key");
    await page.getByRole("link", { name: "IpsecHost edge-a/ipsechost" }).click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "From resource to CNF" }).click();
    await page.getByRole("heading", { name: "IpsecHost edge-a/ipsechost" }).waitFor();
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it("plan the manifests in a form", async () => {
    const { page, wrong } = await open(wide);
    await page.getByRole("link", { name: "What a change will do" }).click();
    const manifest = {
      apiVersion: "batch.sdewan.akraino.org/v1alpha1",
      kind: "FirewallRule",
      metadata: { name: "planned", namespace: "edge-b", labels: { sdewanPurpose: "sdewan-edge-b" } },
      spec: { target: "DROP", src_ip: "192.0.2.1" },
    };
    const manifests = page.getByLabel("Manifests", { exact: true });
    await manifests.fill(JSON.stringify(manifest));
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("row", { name: /create firewall\/v1\/rules\/planned FirewallRule edge-b\/planned/ }).waitFor();
    await page.getByRole("row", { name: /restart reload of firewall/ }).waitFor();
    await manifests.fill(JSON.stringify({ ...manifest, spec: { target: "EXPLODE" } }));
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText(/the manifests: .*spec\.target/).waitFor();
    await manifests.fill("");
    await page.getByLabel("Purpose", { exact: true }).fill("sdewan-edge-b");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("row", { name: /no changes/ }).waitFor();
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it("follow the connection that a form describes", async () => {
    const { page, wrong } = await open(wide);
    await page.getByRole("link", { name: "Which rule decides" }).click();
    await page.getByLabel("Purpose", { exact: true }).fill("sdewan-edge-b");
    await page.getByLabel("From", { exact: true }).fill("192.168.1.7");
    await page.getByLabel("To", { exact: true }).fill("192.168.1.6:80/tcp");
    await page.getByLabel("In", { exact: true }).fill("net2");
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator(".picture svg").waitFor();
    await page.getByRole("row", { name: /accepted, for the CNF itself/ }).waitFor();
    await page
      .getByRole("row")
      .getByRole("link", { name: /^sdewan-cnf-/ })
      .click();
    const steps = await page.locator(".stage").allTextContents();
    expect(steps.join(" | ")).toMatch(
      /destination NAT.*FirewallDNAT edge-b\/firewalldnat.*filter.*FirewallZone edge-b\/pnetwork/,
    );
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it("can be used with a keyboard", async () => {
    const { page } = await open(wide);
    await visit(page, "panels/tunnels");
    await page.getByRole("link", { name: /^sdewan-edge-a, in edge-a/ }).waitFor();
    const passed: string[] = [];
    while (!passed.at(-1)?.startsWith("sdewan-edge-a, in edge-a") && passed.length < 40) {
      await page.keyboard.press("Tab");
      passed.push(await page.evaluate("document.activeElement.textContent"));
    }
    expect(passed.some((text) => text.startsWith("sdewan-edge-b to sdewan-cnf-hub: up"))).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^edge-a\// }).waitFor();
    await page.context().close();
  });

  it.each([
    ["wide, light", { ...wide, colorScheme: "light" }],
    ["wide, dark", { ...wide, colorScheme: "dark" }],
    ["narrow, light", { ...narrow, colorScheme: "light" }],
    ["narrow, dark", { ...narrow, colorScheme: "dark" }],
  ] as const)("have no axe violations, and do not scroll sideways: %s", async (what, options) => {
    const { page, wrong } = await open(options);
    const [pod = ""] = [...demo.simulators.running.keys()].filter((key) => key.startsWith("edge-a/"));
    for (const screen of [
      "panels/cnfs",
      `panels/cnfs/${encodeURIComponent(pod)}`,
      "panels/tunnels",
      "panels/ways",
      way,
      "panels/flows",
      "panels/flows?search=sdewan-edge-b+192.168.1.7+192.168.1.6:80%2Ftcp+net2",
      "panels/plans",
    ]) {
      await visit(page, screen);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText("Loading…").waitFor({ state: "detached" });
      if (screen === "panels/tunnels") await page.locator(".picture svg").waitFor();
      await page.evaluate(axe);
      const found = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))",
      );
      expect([screen, found]).toEqual([screen, []]);
      const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect([screen, await page.evaluate(beyond)]).toEqual([screen, 0]);
      const { KUBEWRIGHT_SCREENSHOTS: to } = process.env;
      if (to) await page.screenshot({ path: `${to}/${what}-${screen.replaceAll(/[/%]/g, "-")}.png`, fullPage: true });
    }
    expect(wrong).toEqual([]);
    await page.context().close();
  });
});
