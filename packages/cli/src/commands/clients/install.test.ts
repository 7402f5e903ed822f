import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { recipes } from "@caret/protocol/recipes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readReceipts, receiptDirectory } from "../../install/receipt.ts";
import { readTokenFile } from "../../tokens/token-file.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addInstallCommand } from "./install.ts";
import { addUninstallCommand } from "./uninstall.ts";

let root: string;
let home: string;
let dataDir: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-install-")));
  home = join(root, "home");
  dataDir = join(root, "data");
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const environment = () => ({ cwd: home, env: { CARET_DATA_DIR: dataDir, CARET_LANE: "sim" }, stdin: "" });

function install(client: string, ...options: readonly string[]): Promise<Tried> {
  return tryCommand(addInstallCommand, ["install", client, "--no-test", ...options], environment());
}

function uninstall(client: string, ...options: readonly string[]): Promise<Tried> {
  return tryCommand(addUninstallCommand, ["uninstall", client, ...options], environment());
}

function put(path: string, text: string, mode = 0o644): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  return file;
}

/** Every file below the home directory, with its text and permissions. */
function files(): Readonly<Record<string, string>> {
  const paths = readdirSync(home, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    paths.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [
        path,
        entry.isDirectory() ? "directory" : `${statSync(path).mode.toString(8)} ${readFileSync(path, "utf8")}`,
      ];
    }),
  );
}

const installable = recipes({ url: "http://127.0.0.1:4141", token: "<token>" }).filter(
  ({ installation }) => installation,
);
const openCode = '{\n  // mine\n  "model": "openai/gpt-6", // the usual one\n  "theme": "dark",\n}\n';

describe("caret install", () => {
  it.each(installable.map(({ id, installation }) => [id, installation?.defaults !== undefined] as const))(
    "%s leaves nothing behind once it is uninstalled, on a machine that has never seen the client",
    async (client, hasDefault) => {
      const before = files();
      await install(client, ...(hasDefault ? ["--default"] : []));
      expect(readReceipts(dataDir).map((receipt) => receipt.client)).toEqual([client]);
      await uninstall(client);
      expect(files()).toEqual(before);
      expect(readReceipts(dataDir)).toEqual([]);
      expect(readTokenFile(dataDir).filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
    },
  );

  it("writes to the user's .jsonc, not to a .json beside it [next §4]", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode");
    expect(readdirSync(dirname(file))).toEqual(["opencode.jsonc"]);
    expect(readFileSync(file, "utf8")).toContain('"caret"');
  });

  it("keeps comments, trailing commas and every other setting [next §4]", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode");
    const text = readFileSync(file, "utf8");
    const [head, tail] = openCode.split("}\n") as [string, string];
    expect([text.startsWith(head), text.endsWith(`  },\n}\n${tail}`)]).toEqual([true, true]);
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toBe(openCode);
  });

  it("touches nothing, makes no token and writes no receipt where a file does not parse [next §4]", async () => {
    const file = put(".config/opencode/opencode.json", '{ "model": ');
    await expect(install("opencode")).rejects.toMatchObject({
      code: "invalid-request",
      message: `${file} cannot be read: it is not JSON, nor JSON with comments`,
      fix: "Nothing was changed. Repair the file first.",
    });
    expect([readFileSync(file, "utf8"), readTokenFile(dataDir), readReceipts(dataDir)]).toEqual([
      '{ "model": ',
      [],
      [],
    ]);
  });

  it("gives the former default model back, also when the user has changed other settings since [next §4]", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode", "--default");
    const installed = readFileSync(file, "utf8");
    expect(installed).toContain('"model": "caret/auto", // the usual one');
    writeFileSync(file, installed.replace('"dark"', '"light"'));
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toBe(openCode.replace('"dark"', '"light"'));
  });

  it("does not leave the default on the provider that goes, when the user chose it in the client [next §4]", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode");
    writeFileSync(file, readFileSync(file, "utf8").replace("openai/gpt-6", "caret/opus"));
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toBe(openCode);
  });

  it("leaves a default alone that the user has changed to another provider since", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode", "--default");
    writeFileSync(file, readFileSync(file, "utf8").replace("caret/auto", "mistral/large"));
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toBe(openCode.replace("openai/gpt-6", "mistral/large"));
  });

  it("changes nothing when it is repeated, and never names a stale port [next §4]", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode");
    const once = readFileSync(file, "utf8");
    await install("opencode");
    expect(readFileSync(file, "utf8")).toBe(once);
    await install("opencode", "--server-port", "4999");
    expect(readFileSync(file, "utf8")).toBe(once.replace(":4141/", ":4999/"));
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toBe(openCode);
  });

  it("takes two installations in one file apart again, in either order", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode");
    await install("mcp-opencode");
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toContain('"mcp"');
    await uninstall("mcp-opencode");
    expect(readFileSync(file, "utf8")).toBe(openCode);
  });

  it("makes a file that has to hold the token readable to its owner only, says so, and gives the permissions back", async () => {
    const file = put(".factory/settings.json", '{"model": "opus"}\n');
    const { stdout } = await install("droid");
    expect(stdout).toContain(`secret   ${file} holds the token; only you can read it (0600)`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await uninstall("droid");
    expect([statSync(file).mode & 0o777, readFileSync(file, "utf8")]).toEqual([0o644, '{"model": "opus"}\n']);
  });

  it.each(installable.filter(({ door }) => door !== undefined).map(({ id }) => id))(
    "writes no secret of %s to a file that others can read",
    async (client) => {
      await install(client);
      const open = Object.values(files()).filter((text) => text.includes("caret_") && !text.startsWith("100600"));
      expect(open).toEqual([]);
    },
  );

  it("writes through a link, which stays one", async () => {
    const file = put("dotfiles/opencode.json", "{}\n");
    mkdirSync(join(home, ".config/opencode"), { recursive: true });
    const link = join(home, ".config/opencode/opencode.json");
    symlinkSync(file, link);
    await install("opencode");
    expect([lstatSync(link).isSymbolicLink(), readFileSync(file, "utf8").includes("caret")]).toEqual([true, true]);
    await uninstall("opencode");
    expect([lstatSync(link).isSymbolicLink(), readFileSync(file, "utf8")]).toEqual([true, "{}\n"]);
  });

  it("writes a file that has a second name so that both stay names of it", async () => {
    const file = put(".config/opencode/opencode.json", '{"theme": "dark"}\n');
    const other = join(home, "dotfiles.json");
    linkSync(file, other);
    await install("opencode");
    const installed = [readFileSync(other, "utf8").includes("caret"), statSync(file).nlink];
    await uninstall("opencode");
    expect([installed, readFileSync(other, "utf8"), statSync(file).ino]).toEqual([
      [true, 2],
      '{"theme": "dark"}\n',
      statSync(other).ino,
    ]);
  });

  it("refuses at once what is no file, and leaves it there", async () => {
    const place = join(home, ".config/opencode/opencode.json");
    mkdirSync(dirname(place), { recursive: true });
    const server = createServer();
    const makers = {
      pipe: () => execFileSync("mkfifo", [place]),
      directory: () => mkdirSync(place),
      socket: async () => await once(server.listen(place), "listening"),
      device: () => symlinkSync("/dev/zero", place),
    };
    for (const [kind, make] of Object.entries(makers)) {
      await make();
      const { ino } = lstatSync(place);
      await expect(install("opencode"), kind).rejects.toMatchObject({
        code: "invalid-request",
        message: `${place} is no regular file`,
      });
      expect([kind, lstatSync(place).ino]).toEqual([kind, ino]);
      server.close();
      rmSync(place, { recursive: true, force: true });
    }
    put(".config/opencode/opencode.json", "{}\n");
    await install("opencode");
    rmSync(place);
    makers.pipe();
    await expect(uninstall("opencode")).rejects.toMatchObject({ message: `${place} is no regular file` });
  });

  it("gives the permissions back also after it was installed twice", async () => {
    const file = put(".factory/settings.json", '{"model": "opus"}\n');
    await install("droid");
    await install("droid");
    await uninstall("droid");
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it("writes through links to a file or a directory that is not there yet, and leaves only them behind", async () => {
    const link = (path: string, to: string): string => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      symlinkSync(join(home, to), join(home, path));
      return join(home, path);
    };
    const links = [link(".config/opencode/opencode.json", "dotfiles/a.json"), link(".codex", "dotfiles/codex")];
    await install("opencode");
    await install("codex");
    const written = ["dotfiles/a.json", "dotfiles/codex/caret.config.toml"];
    expect(written.map((path) => existsSync(join(home, path)))).toEqual([true, true]);
    await uninstall("codex");
    await uninstall("opencode");
    expect([links.map((path) => lstatSync(path).isSymbolicLink()), existsSync(join(home, "dotfiles"))]).toEqual([
      [true, true],
      false,
    ]);
  });

  it("takes its settings out where the backup is gone", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode");
    for (const name of readdirSync(receiptDirectory(dataDir)))
      if (name.endsWith(".backup")) rmSync(join(receiptDirectory(dataDir), name));
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toBe(openCode);
  });

  it("keeps a file of Caret's own beside its place where the user has edited it, and names it", async () => {
    await install("codex");
    const file = join(home, ".codex/caret.config.toml");
    const edited: string[] = [];
    for (const setting of ["one", "two"]) {
      edited.push(`${readFileSync(file, "utf8")}${setting} = "mine"\n`);
      writeFileSync(file, edited.at(-1) ?? "");
      if (setting === "one") await install("codex");
    }
    const planned = await uninstall("codex", "--dry-run");
    const { stdout } = await uninstall("codex");
    expect([existsSync(file), files()]).toEqual([
      false,
      {
        [join(home, ".codex")]: "directory",
        [`${file}.edited`]: `100600 ${edited[0]}`,
        [`${file}.edited-2`]: `100600 ${edited[1]}`,
      },
    ]);
    expect([planned.stdout, stdout]).toEqual([
      expect.stringContaining(`would be kept      ${file}.edited-2\n`),
      expect.stringContaining(`kept      ${file}.edited-2\n`),
    ]);
  });

  it.each([
    ["a client that reads the token elsewhere", "opencode", ".config/opencode/opencode.jsonc", false],
    ["a client with the token in its file", "crush", ".config/crush/crush.json", true],
  ])("makes no file readable to others that the user keeps private by then: %s", async (_, client, path, isEdited) => {
    const file = put(path, "{}\n", 0o644);
    await install(client);
    chmodSync(file, 0o600);
    if (isEdited) writeFileSync(file, readFileSync(file, "utf8").replace("{", '{ "mine": "secret",'));
    await uninstall(client);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("gives the user's file back where one of Caret's own was removed by hand", async () => {
    const file = put(".codex/caret.config.toml", 'model = "mine"\n');
    await install("codex");
    rmSync(file);
    await uninstall("codex");
    expect(readFileSync(file, "utf8")).toBe('model = "mine"\n');
  });

  it("leaves a file empty that the user has emptied", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await install("opencode");
    writeFileSync(file, "");
    await uninstall("opencode");
    expect(readFileSync(file, "utf8")).toBe("");
  });

  it("touches nothing and makes no token where a file is read-only", async () => {
    const file = put(".claude/settings.json", "{}\n", 0o444);
    await expect(install("claude-code", "--default")).rejects.toMatchObject({
      code: "storage-failed",
      message: `${file} is read-only`,
      fix: "Nothing was changed. Make it writable, or change it where it is generated.",
    });
    expect([readFileSync(file, "utf8"), existsSync(dataDir)]).toEqual(["{}\n", false]);
  });

  it.each([
    [
      "opencode",
      ".config/opencode/opencode.json",
      '{"provider": []}',
      "a setting in the way of provider.caret is not an object",
    ],
    [
      "mcp-codex",
      ".codex/config.toml",
      'doc = """\n[mcp_servers.caret]\n"""\n',
      "it is written in a form in which Caret cannot change single settings",
    ],
  ])("names the file of %s in which a setting is in its way", async (client, path, text, why) => {
    const file = put(path, text);
    await expect(install(client)).rejects.toMatchObject({
      code: "invalid-request",
      message: `${file} cannot be changed: ${why}`,
    });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("loses no settings of clients that share a file when they are installed at the same time", async () => {
    const file = put(".config/opencode/opencode.jsonc", openCode);
    await Promise.all([install("opencode"), install("mcp-opencode")]);
    const text = readFileSync(file, "utf8");
    expect([text.includes('"provider"'), text.includes('"mcp"')]).toEqual([true, true]);
    await Promise.all([uninstall("opencode"), uninstall("mcp-opencode")]);
    expect(readFileSync(file, "utf8")).toBe(openCode);
  });

  it.each([["--dry-run"], ["--print"]])("writes nothing with %s", async (option) => {
    put(".config/opencode/opencode.jsonc", openCode);
    const before = files();
    const { stdout } = await install("opencode", option);
    expect(stdout).toContain(join(home, ".config/opencode/opencode.jsonc"));
    expect([files(), existsSync(dataDir)]).toEqual([before, false]);
  });

  it.each([["--dry-run"], ["--print"]])(
    "says with %s that nothing would change where it is installed",
    async (option) => {
      await install("opencode");
      expect((await install("opencode", option)).stdout).toBe("Nothing would change.\n");
    },
  );

  it("names the nearest client for one that it does not know", async () => {
    await expect(install("opncode")).rejects.toMatchObject({ code: "invalid-request" });
    await expect(uninstall("codex")).rejects.toMatchObject({ message: '"codex" is not installed' });
  });
});
