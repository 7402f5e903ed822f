import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type CreateSession,
  createNativeClient,
  type LaneName,
  type NativeClient,
  type SessionView,
} from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { ensurePageIsBuilt } from "./build-page.ts";
import { sharedChromium } from "./one-browser.ts";
import { pageScenario } from "./page-scenario.ts";

const desktop = { width: 1440, height: 900 };
export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

type SignedIn = Awaited<ReturnType<BrowserContext["storageState"]>>;

export interface StageOptions {
  /** For the gateway. */
  readonly env?: Readonly<Record<string, string>>;
  readonly scenario?: ScenarioInput;
  /** By default the simulator's own. */
  readonly lane?: LaneName;
  /** By default the browser that all page tests share. */
  readonly browser?: () => Promise<Browser>;
}

/** A real gateway, a real browser, and everything that went wrong on the pages it opened. */
export class PageStage {
  readonly home: GatewayHome;
  readonly browser: Browser;
  gateway: GatewayProcess;
  #signedIn: SignedIn | undefined;
  /** A page that one test after the other takes: a browser of its own costs as much as a test. */
  #kept: Page | undefined;
  #isKeptTaken = false;
  #contexts: BrowserContext[] = [];
  #complaints: string[] = [];
  #allowed: RegExp[] = [];

  private constructor(home: GatewayHome, browser: Browser, gateway: GatewayProcess) {
    this.home = home;
    this.browser = browser;
    this.gateway = gateway;
  }

  static async open(options: StageOptions = {}): Promise<PageStage> {
    const { env = {}, scenario = pageScenario, lane = "sim", browser: open = sharedChromium } = options;
    ensurePageIsBuilt();
    const home = new GatewayHome(scenario);
    prepareProject(home.workspace);
    mkdirSync(bareWorkspace(home));
    const [browser, gateway] = await Promise.all([open(), startOn(home, "0", env, lane)]);
    return new PageStage(home, browser, gateway);
  }

  /** Another workspace, which is no repository. */
  get bareWorkspace(): string {
    return bareWorkspace(this.home);
  }

  get url(): string {
    return this.gateway.url;
  }

  /** A document of the gateway that runs no script, from which its storage can be reached. */
  get #quiet(): string {
    return `${this.url}/icon.svg`;
  }

  /** The native door, for what a test needs before it looks at the page. */
  get api(): NativeClient {
    return createNativeClient({ baseUrl: this.url, headers: { authorization: `Bearer ${this.gateway.token}` } });
  }

  /** What this command prints, as a user of this gateway would run it. */
  async caret(...args: readonly string[]): Promise<string> {
    const running = promisify(execFile)(process.execPath, [caret, ...args], {
      cwd: this.home.directory,
      env: this.home.environment(),
    });
    // A prompt may also be piped in: nothing is.
    running.child.stdin?.end();
    return (await running).stdout.trim();
  }

  /** A page of a browser of its own that nobody has signed in. */
  async newBrowser(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#newContext(options);
    this.#contexts.push(context);
    return await context.newPage();
  }

  /**
   * A page that is signed in, at this route, in a browser that keeps nothing of other tests.
   * With options, and from a test's second page on, it is a browser of its own.
   */
  async visit(place = "/", options?: BrowserContextOptions): Promise<Page> {
    this.#signedIn ??= await this.#signIn();
    const page =
      options === undefined && !this.#isKeptTaken
        ? await this.#takeKept(this.#signedIn)
        : await this.newBrowser({ storageState: this.#signedIn, ...options });
    await page.goto(`${this.url}/#${place}`);
    return page;
  }

  /** A session in the project; with a prompt its first turn is under way. */
  async session(prompt?: string, wanted: CreateSession = {}): Promise<SessionView> {
    const session = await this.api.createSession({ workspace: this.home.workspace, ...wanted });
    if (prompt !== undefined) await this.api.startTurn(session.id, { prompt });
    return session;
  }

  /** As `session`, once its turn is over. */
  async endedSession(prompt: string, wanted: CreateSession = {}): Promise<SessionView> {
    const { id } = await this.session(prompt, wanted);
    return await this.settled(id);
  }

  async settled(sessionId: string): Promise<SessionView> {
    const { signal, abort } = stoppable();
    for await (const events of this.api.followEvents(sessionId, { after: 0, signal }))
      if (events.some(({ event }) => event.type === "turn-end")) break;
    abort();
    return await this.api.getSession(sessionId);
  }

  /** Ends the gateway without a word to anyone, and starts another on the same port and data. */
  async killGateway(): Promise<() => Promise<void>> {
    const { port } = new URL(this.url);
    this.gateway.kill("SIGKILL");
    await this.gateway.exited;
    return async () => {
      this.gateway = await startOn(this.home, port);
    };
  }

  /** What this test does on purpose, the browser complains about. */
  allow(complaint: RegExp): void {
    this.#allowed.push(complaint);
  }

  /** Closes what the test opened, and gives what went wrong on its pages: for `afterEach`, to be compared with nothing. */
  async leave(): Promise<readonly string[]> {
    await Promise.all([this.#leaveKept(), ...this.#contexts.splice(0).map((context) => context.close())]);
    const allowed = this.#allowed.splice(0);
    return this.#complaints.splice(0).filter((complaint) => !allowed.some((pattern) => pattern.test(complaint)));
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.gateway.stop();
    this.home.remove();
  }

  async #newContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: desktop,
      reducedMotion: "reduce",
      // It would load all of the page for every context once more.
      serviceWorkers: "block",
      ...options,
    });
    // Below a test's own patience, so that what was missing is named.
    context.setDefaultTimeout(25_000);
    context.on("page", (page) => this.#watch(page));
    return context;
  }

  async #takeKept({ cookies, origins }: SignedIn): Promise<Page> {
    this.#isKeptTaken = true;
    const page = await this.#keep();
    await page.context().clearCookies();
    await page.context().addCookies(cookies);
    if (page.url() !== this.#quiet) await page.goto(this.#quiet);
    await page.evaluate(replaceStorage, origins[0]?.localStorage ?? []);
    return page;
  }

  async #keep(): Promise<Page> {
    this.#kept ??= await (await this.#newContext({})).newPage();
    return this.#kept;
  }

  async #leaveKept(): Promise<void> {
    if (this.#kept === undefined) return;
    const others = this.#kept
      .context()
      .pages()
      .filter((page) => page !== this.#kept);
    await Promise.all([this.#kept.goto(this.#quiet), ...others.map((page) => page.close())]);
    this.#isKeptTaken = false;
  }

  async #signIn(): Promise<SignedIn> {
    const page = await this.#keep();
    await page.goto((await this.api.createLink()).url);
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    return await page.context().storageState();
  }

  #watch(page: Page): void {
    const complain = (text: string) => void this.#complaints.push(text);
    page.on("console", (message) => {
      // The browser itself asks for it, for the one document of ours that names no icon: the one before each visit.
      if (message.location().url === `${this.url}/favicon.ico`) return;
      if (message.text() === "Service Worker registration blocked by Playwright") return;
      if (["error", "warning"].includes(message.type())) complain(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => complain(`thrown: ${error.message}`));
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText ?? "";
      // The page lets go of what it no longer needs.
      if (why !== "net::ERR_ABORTED") complain(`failed: ${request.method()} ${request.url()} ${why}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) complain(`${response.status()}: ${response.request().method()} ${response.url()}`);
    });
  }
}

/** Runs in the browser. */
function replaceStorage(entries: readonly { readonly name: string; readonly value: string }[]): void {
  const { localStorage, sessionStorage } = globalThis as unknown as Record<"localStorage" | "sessionStorage", Entries>;
  localStorage.clear();
  sessionStorage.clear();
  for (const { name, value } of entries) localStorage.setItem(name, value);
}

interface Entries {
  clear(): void;
  setItem(name: string, value: string): void;
}

function startOn(
  home: GatewayHome,
  port: string,
  env: Readonly<Record<string, string>> = {},
  lane: LaneName = "sim",
): Promise<GatewayProcess> {
  const allowed = JSON.stringify([home.workspace, bareWorkspace(home)]);
  return startGateway(home, {
    args: ["--lane", lane, "--port", port, "--workspace", home.workspace],
    env: { CARET_WORKSPACES_ALLOW: allowed, ...env },
  });
}

function bareWorkspace({ directory }: GatewayHome): string {
  return join(directory, "bare");
}

function stoppable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** A repository with one commit, which the agent changes. */
function prepareProject(directory: string): void {
  mkdirSync(join(directory, "docs"));
  writeFileSync(join(directory, "greet.js"), greeting);
  writeFileSync(join(directory, "docs", "tone.md"), "# Tone\n\nKind.\n");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], { cwd: directory });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=First");
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of the example
const greeting = "export function greet(name) {\n  return `Hello, ${name}!`;\n}\n\nconsole.log(greet('you'));\n";
