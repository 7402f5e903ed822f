import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createNativeClient, type NativeClient } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playTurn } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";
import { logOf } from "./whole-log.ts";

let gateway: MortalGateway;
let caret: NativeClient;
beforeAll(async () => {
  gateway = await MortalGateway.start();
  caret = gateway.client();
});
afterAll(() => gateway.remove());

const file = (name: string): string => join(gateway.home.workspace, name);
const git = (...args: readonly string[]): string => {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: gateway.home.directory };
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
  return execFileSync("git", ["-C", gateway.home.workspace, ...who, ...args], { env, stdio: "pipe" })
    .toString()
    .trim();
};

describe("a session that is carried elsewhere", () => {
  it("comes out in four formats, and comes in again as it was", async () => {
    const { id } = await caret.createSession({ title: "Take <me> along", permission: "full" });
    await playTurn(caret, id, "Write 40 words about <script>alert(1)</script> & more");
    const log = await logOf(caret, id);

    const markdown = await caret.exportSession(id, "markdown");
    expect([markdown.fileName, await markdown.content.text()]).toEqual([
      expect.stringMatching(/\.md$/),
      expect.stringContaining("Write 40 words"),
    ]);
    const html = await caret.exportSession(id, "html");
    const page = await html.content.text();
    expect([html.fileName, page]).toEqual([
      expect.stringMatching(/\.html$/),
      expect.stringContaining("&lt;script&gt;alert(1)&lt;/script&gt; &amp; more"),
    ]);
    expect(page).not.toMatch(/<script|javascript:|\son\w+=/i);
    const seed = (await (await caret.exportSession(id, "seed")).content.text()).trimEnd().split("\n");
    expect(seed.map((line) => Object.keys(JSON.parse(line) as object))).toEqual(
      seed.map(() => expect.arrayContaining(["id", "chatId", "timestamp", "type", "payload", "raw"])),
    );
    expect(seed.length).toBe(log.length);

    const ndjson = await caret.exportSession(id, "ndjson");
    const copy = await caret.importSession(ndjson.content);
    expect(copy).toMatchObject({ title: "Take <me> along", imported: true, lastSeq: log.length });
    expect(await logOf(caret, copy.id)).toEqual(log.map((text) => text.replaceAll(id, copy.id)));
    expect(await logOf(caret, id)).toEqual(log);
  });

  it("is refused when it is not one, and nothing is left of it", async () => {
    const before = (await caret.listSessions({ limit: 500 })).sessions.length;
    for (const text of ["", "no json\n", '{"kind":"something else"}\n'])
      await expect(caret.importSession(text)).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid|session)-/),
      });
    expect((await caret.listSessions({ limit: 500 })).sessions.length).toBe(before);
  });
});

describe("a workspace", () => {
  it("shows what has changed in it, and runs nothing that its repository names", async () => {
    const trace = join(gateway.home.directory, "was-run");
    const evil = join(gateway.home.directory, "evil.sh");
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${trace}\ncat\n`);
    chmodSync(evil, 0o755);
    git("init", "-q", "-b", "main");
    writeFileSync(file("a.txt"), "1\n");
    writeFileSync(file("gone.txt"), "missing\n");
    writeFileSync(file(".gitattributes"), "* filter=evil diff=evil\n");
    git("add", "-A");
    git("commit", "-qm", "First");
    plant(trace, evil);
    writeFileSync(file("a.txt"), "2\n");
    const { id } = await caret.createSession({});
    const { isRepository, branch, files } = await caret.changes(id);
    expect({ isRepository, branch, changed: files.find(({ path }) => path === "a.txt") }).toMatchObject({
      isRepository: true,
      branch: "main",
      changed: { status: "modified" },
    });
    expect(await caret.findFiles(gateway.home.workspace, "a.t")).toContain("a.txt");
    expect(existsSync(trace)).toBe(false);
    // The trap was real: git itself, asked in the plain way, falls into it.
    expect(() => git("diff", "HEAD")).toThrow();
    expect(existsSync(trace)).toBe(true);
  });

  /** Everything by which a repository can make git start a program while a user only looks. */
  function plant(trace: string, evil: string): void {
    const hooks = join(gateway.home.workspace, ".git", "hooks");
    mkdirSync(hooks, { recursive: true });
    for (const hook of ["post-index-change", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman"]) {
      writeFileSync(join(hooks, hook), `#!/bin/sh\necho hook >> ${trace}\n`);
      chmodSync(join(hooks, hook), 0o755);
    }
    const keys = ["core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "diff.external"];
    const drivers = ["filter.evil.clean", "filter.evil.process", "diff.evil.command", "diff.evil.textconv"];
    for (const key of [...keys, ...drivers]) git("config", key, evil);
    // A blob that is missing would be fetched from a remote, by the remote's own program.
    const blob = git("rev-parse", "HEAD:gone.txt");
    rmSync(join(gateway.home.workspace, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
    writeFileSync(file("gone.txt"), "other\n");
    git("config", "core.repositoryFormatVersion", "1");
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.promisor", "true");
    git("config", "remote.origin.url", `ext::sh -c touch% ${trace}`);
    git("config", "protocol.ext.allow", "always");
    rmSync(trace, { force: true }); // what git did here, it did for us
  }

  it("elsewhere than allowed is not looked into", async () => {
    await expect(caret.findFiles("/etc", "passwd")).rejects.toMatchObject({ code: "workspace-forbidden" });
  });
});

describe("the gateway", () => {
  it("describes itself, its models and its health", async () => {
    expect(await caret.about()).toMatchObject({
      defaultLane: "sim",
      lanes: [{ lane: "sim", ready: true, simulated: true }],
      defaultWorkspace: gateway.home.workspace,
    });
    const models = await caret.models();
    expect(models.map(({ id }) => id)).toContain("auto");
    expect(models.filter(({ isDefault }) => isDefault).length).toBe(1);
    expect(await caret.models({ refresh: true })).toEqual(models);
    expect((await caret.doctor()).filter(({ check, detail }) => check === "" || detail === "")).toEqual([]);
  });

  it("counts what was used, by day, model and session", async () => {
    const { id } = await caret.createSession({ permission: "full" });
    await playTurn(caret, id, "hello");
    await playTurn(caret, id, "hello again");
    const rows = (await caret.usage(2)).filter(({ sessionId }) => sessionId === id);
    expect(rows).toMatchObject([{ day: new Date().toISOString().slice(0, 10), turns: 2 }]);
  });

  it.each(["openai", "responses", "anthropic"] as const)("tests its own door: %s", async (door) => {
    expect(await caret.testConnection({ door })).toMatchObject({ ok: true, detail: expect.stringContaining("ready") });
  });

  it("gives tokens for clients, which open the other doors and not this one", async () => {
    const { token } = await caret.createToken("laptop");
    const { url } = gateway.process;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
    const theirs = createNativeClient({ baseUrl: url, headers });
    await expect(theirs.listSessions()).rejects.toMatchObject({ code: "forbidden" });
    await expect(caret.createToken("laptop")).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("signs a browser in by a link, once, and out again", async () => {
    const { url } = await caret.createLink();
    const code = url.split("/#/sign-in/")[1] ?? "";
    let cookie = "";
    let pageKey = "";
    const browser = createNativeClient({
      baseUrl: gateway.process.url,
      headers: () => ({ ...(cookie === "" ? {} : { cookie }), ...(pageKey === "" ? {} : { "x-caret-page": pageKey }) }),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
        return response;
      },
    });
    await expect(browser.about()).rejects.toMatchObject({ code: "unauthenticated" });
    pageKey = (await browser.signIn(code)).pageKey;
    expect((await browser.about()).tokenName).toMatch(/^browser-/);
    await expect(browser.signIn(code)).rejects.toMatchObject({ code: "unauthenticated" });
    const half = cookie;
    cookie = "";
    await expect(browser.about()).rejects.toMatchObject({ code: "unauthenticated" });
    cookie = half;
    await browser.signOut();
    cookie = half;
    await expect(browser.about()).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
