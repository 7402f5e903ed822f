import { describe, expect, it } from "vitest";
import { createPolicy } from "./policy.ts";

const policy = createPolicy({ mode: "auto", rules: [], workspace: "/w", attended: true, newRequestId: () => "r" });
const isAsked = (command: string): boolean =>
  policy.decide({ tool: "exec", kind: "shell", input: { command } }).effect === "ask";

describe("`auto` asks about what docs/permissions.md calls dangerous", () => {
  it.each([
    [
      "reads keys",
      ["cat ~/.ssh/id_rsa", "cat $HOME/.ssh/id_rsa", 'cat "$HOME"/.aws/credentials', "head /home/ada/.netrc"],
    ],
    [
      "reads keys by another way",
      ["cp ../../.ssh/id_rsa .", "base64 < ~/.ssh/id_rsa; cat ~/.netrc", "cat ~/./.ssh//id_rsa"],
    ],
    ["reads by a pattern", ["cat ~/.s*/id*", "cat /home/ada/.a*/c*"]],
    [
      "reads a whole home",
      ["tar c ~", "grep -r key /home/ada", "cp -r /home/ada .", "find / -name id_rsa", "rg token ~/"],
    ],
    ["reads a browser's profile", ["sqlite3 ~/.mozilla/firefox/x/cookies.sqlite", "cp -r ~/.config/google-chrome x"]],
    ["reads a file by an option", ["tool --file=~/.git-credentials", "tool @/etc/shadow", "cat /proc/1/environ"]],
    [
      "asks for a password",
      ["git credential fill", "git -C x credential fill", "git credential-store get", "pass show x"],
    ],
    ["sends", ["git send-email x.patch", "rclone delete r:x", "s3cmd del s3://x", "mail -s x y", "gsutil rm gs://x"]],
    [
      "opens a port",
      ["git daemon --export-all", "python3 -m http.server", "python -u -mhttp.server 80", "npx http-server"],
    ],
    ["opens a port otherwise", ["php -S 0.0.0.0:80", "busybox httpd", "ngrok http 80"]],
    [
      "sets what other projects run",
      ["npm config set script-shell ./x", "npm --location=user config set x y", "npm c set x y"],
    ],
    ["installs for all", ["npm i -g x", "npm --global install x", "cargo install x", "python3 -m pip config set x y"]],
    ["writes history anew", ["git filter-repo --force", "git replace a b", "git submodule deinit -f ."]],
    ["speaks for the user", ["npm owner add x y", "svn ci -m x", "python3 -m twine upload x"]],
  ])("%s", (_what, commands) => {
    expect(commands.filter((command) => !isAsked(command))).toEqual([]);
  });

  it("and runs what works in the workspace", () => {
    const commands = [
      ...[
        "cat .npmrc",
        "cat /w/.npmrc",
        "cat ./.env",
        "grep -r key src",
        "cat /etc/hosts",
        "ls ~",
        "cd ~",
        "git log --format=%an",
      ],
      ...[
        "npm test",
        "npm install",
        "npm run build -- --config x",
        "python3 -m pytest",
        "python3 -m venv .venv",
        "python3 x.py -m y",
      ],
      ...[
        "git commit -m 'Read ~/.ssh/config'",
        "echo ~/.ssh",
        "git fetch",
        "cargo build",
        "go test ./...",
        "node serve.js",
      ],
      ...["cat src/environment.ts", "cat id_rsa.md", "tsc -p .", "cat ssh/a", "npm ls -a"],
    ];
    expect(commands.filter(isAsked)).toEqual([]);
  });
});
