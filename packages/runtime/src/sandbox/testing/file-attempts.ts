import type { EscapeAttempt } from "./escape-attempt.ts";

/** Files and directories that are none of the turn's business. */
export const fileAttempts: readonly EscapeAttempt[] = [
  { name: "write a file outside", script: "echo $MARK >$WORLD/outside/file", mark: "outside/file" },
  { name: "make a file outside", script: "echo $MARK >$WORLD/outside/new", mark: "outside/new" },
  { name: "read a file outside", script: "grep -q CANARY $WORLD/outside/secret" },
  { name: "list a directory outside", script: "ls $WORLD/outside | grep -q secret" },
  { name: "read through a link to the outside", script: "ln -s $WORLD/outside/secret l1; grep -q CANARY l1" },
  {
    name: "write through a link to the outside",
    script: "ln -s $WORLD/outside l2; echo $MARK >l2/linked",
    mark: "outside/linked",
  },
  { name: "make a hard link to a file outside", script: "ln $WORLD/outside/secret l3 && grep -q CANARY l3" },
  { name: "read through dots", script: "grep -q CANARY ../../outside/secret" },
  { name: "leave by the directory of a process outside", script: "grep -q CANARY /proc/$VICTIM/cwd/secret" },
  {
    name: "leave by the root of a process outside",
    script: "cd /proc/$VICTIM && grep -q CANARY root$WORLD/outside/secret",
  },
  { name: "read a private key", script: "grep -q CANARY $HOME/.ssh/id_ed25519" },
  { name: "read what lies in the home directory", script: "grep -q CANARY $HOME/documents/letter" },
  { name: "change the user's shell", script: "echo $MARK >$HOME/.bashrc", mark: "home/.bashrc" },
  {
    name: "start a program with the user's desktop",
    script: "mkdir -p $HOME/.config/autostart; echo $MARK >$HOME/.config/autostart/x.desktop",
    mark: "home/.config/autostart/x.desktop",
  },
  {
    name: "put a program on the user's path",
    script: "mkdir -p $HOME/.local/bin; echo $MARK >$HOME/.local/bin/ls",
    mark: "home/.local/bin/ls",
  },
  { name: "read the user's git credentials", script: "grep -q CANARY $HOME/.gitconfig" },
  { name: "change the user's git configuration", script: "echo $MARK >$HOME/.gitconfig", mark: "home/.gitconfig" },
  { name: "read the user's own MCP servers", script: "grep -q CANARY $HOME/.cursor/mcp.json" },
  {
    name: "add an MCP server for every project",
    script: "echo $MARK >$HOME/.cursor/mcp.json",
    mark: "home/.cursor/mcp.json",
  },
  {
    name: "add a hook for every project",
    script: "echo $MARK >$HOME/.cursor/hooks.json",
    mark: "home/.cursor/hooks.json",
  },
  {
    name: "loosen the user's permissions",
    script: "echo $MARK >$HOME/.cursor/cli-config.json",
    mark: "home/.cursor/cli-config.json",
  },
  {
    name: "approve an MCP server for later",
    script: "mkdir -p $HOME/.cursor/projects/ws; echo $MARK >$HOME/.cursor/projects/ws/mcp-approvals.json",
    mark: "home/.cursor/projects/ws/mcp-approvals.json",
  },
  {
    name: "replace the login",
    script: "echo $MARK >$HOME/.cursor/n; mv -f $HOME/.cursor/n $HOME/.cursor/auth.json",
    mark: "home/.cursor/auth.json",
  },
  { name: "change the login", script: "echo $MARK >>$HOME/.cursor/auth.json", mark: "home/.cursor/auth.json" },
  { name: "read the chats of another workspace", script: "grep -q CANARY $HOME/.cursor/chats/other/store.db" },
  { name: "read Caret's own data", script: "grep -q CANARY $WORLD/data/tokens.json" },
  {
    name: "change the copy of .cursor that Caret keeps",
    script: "echo $MARK >$COPY/mcp.json",
    mark: "data/sandboxes/sessions/battery/cursor/mcp.json",
  },
  { name: "rename its workspace", script: "mv $WS $WS-old && mv $WS-old $WS" },
  { name: "read the machine's password hashes", script: "test -s /etc/shadow && grep -q : /etc/shadow", by: "root" },
  {
    name: "change a program of the machine",
    script: "echo x >/usr/local/lib/caret-escape && rm /usr/local/lib/caret-escape",
    by: "root",
  },
];
