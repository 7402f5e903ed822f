import type { EscapeAttempt } from "./escape-attempt.ts";

/** What decides in the workspace what runs later, outside: settings of the agent, of git, of editors. */
export const settingsAttempts: readonly EscapeAttempt[] = [
  {
    name: "write the project's MCP servers",
    script: "echo $MARK >.cursor/mcp.json",
    mark: "projects/ws/.cursor/mcp.json",
  },
  { name: "add a file to .cursor", script: "echo $MARK >.cursor/hooks.json", mark: "projects/ws/.cursor/hooks.json" },
  { name: "remove a file of .cursor", script: "rm .cursor/rules/own.mdc" },
  {
    name: "rename .cursor and make another",
    script: "mv .cursor old && mkdir .cursor && echo $MARK >.cursor/mcp.json && rm -r .cursor && mv old .cursor",
  },
  {
    name: "replace .cursor by a link",
    script: "mkdir evil; mv .cursor gone && ln -s evil .cursor && rm .cursor && mv gone .cursor",
  },
  { name: "make a hard link into .cursor and write by it", script: "ln .cursor/rules/other.mdc hard && echo x >>hard" },
  { name: "change the mode of .cursor", script: "chmod 700 .cursor" },
  { name: "set a time on .cursor", script: "touch .cursor" },
  {
    name: "write a git hook",
    script: "echo $MARK >.git/hooks/post-checkout",
    mark: "projects/ws/.git/hooks/post-checkout",
  },
  {
    name: "replace the directory of hooks",
    script: "mv .git/hooks .git/h; cp -r .git/h .git/hooks; mkdir -p .git/hooks; echo $MARK >.git/hooks/replaced",
    mark: "projects/ws/.git/hooks/replaced",
  },
  {
    name: "append to the git configuration",
    script: 'echo "[alias] x = $MARK" >>.git/config',
    mark: "projects/ws/.git/config",
  },
  {
    name: "change the git configuration by git",
    script: "git config core.fsmonitor $MARK",
    mark: "projects/ws/.git/config",
  },
  {
    name: "replace the git configuration",
    script: 'cp .git/config c2; echo "[core] fsmonitor = $MARK" >>c2; mv -f c2 .git/config',
    mark: "projects/ws/.git/config",
  },
  { name: "rename .git and make another", script: "mv .git g && mv g .git" },
  {
    name: "send git to another configuration",
    script: "echo $MARK >.git/commondir",
    mark: "projects/ws/.git/commondir",
  },
  { name: "configure a submodule", script: "echo '[core] fsmonitor = x' >>.git/modules/sub/config" },
  {
    name: "send a worktree to another configuration",
    script: "echo $MARK >.git/worktrees/w/commondir",
    mark: "projects/ws/.git/worktrees/w/commondir",
  },
  { name: "write to the hooks that git was told of", script: "echo x >githooks/inner/post-merge" },
  { name: "rename the directory above those hooks", script: "mv githooks gh && mv gh githooks" },
  { name: "write to a file that the git configuration includes", script: "echo x >>shared.gitconfig" },
  {
    name: "add a task for an editor",
    script: "echo $MARK >.vscode/tasks.json",
    mark: "projects/ws/.vscode/tasks.json",
    word: "strict",
  },
  { name: "rename an editor's settings", script: "mv .vscode v && mv v .vscode", word: "strict" },
  {
    name: "change what a shell loads in the workspace",
    script: "echo $MARK >.envrc",
    mark: "projects/ws/.envrc",
    word: "strict",
  },
];
