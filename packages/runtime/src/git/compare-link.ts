import { type CompareLink, toShell, trimEndOf } from "@caret/protocol";
import { type Git, runGit } from "./run-git.ts";

const REMOTES = "^(branch\\..*\\.remote|remote\\..*\\.url)$";

/** Where the host of the branch's remote proposes a pull request for it. Undefined without a remote that has a page. */
export async function compareLink(git: Git, workspace: string, branch: string): Promise<CompareLink | undefined> {
  const { text } = await runGit(git, workspace, ["config", "--null", "--get-regexp", REMOTES]);
  const settings = new Map(text.split("\0").map((line) => cutAt(line, line.indexOf("\n"))));
  const remote = settings.get(`branch.${branch}.remote`) ?? "origin";
  const url = comparePage(settings.get(`remote.${remote}.url`) ?? "", branch);
  if (url === undefined) return undefined;
  // Quoted: a person types it, and Git lets a branch, and in a clone the remote, be called `main;reboot`.
  return { url, push: toShell(["git", "push", "--set-upstream", remote, branch]) };
}

/** Hosts are known by their names: what a self-hosted one runs cannot be seen from its address. */
export function comparePage(remote: string, branch: string): string | undefined {
  const project = webAddress(remote);
  if (project === undefined) return undefined;
  const name = encodeURIComponent(branch);
  const { hostname } = new URL(project);
  if (hostname.includes("gitlab")) return `${project}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${name}`;
  if (hostname.includes("bitbucket")) return `${project}/pull-requests/new?source=${name}`;
  return `${project}/compare/${name}?expand=1`;
}

/** The project's page, without the name and password that an address may carry. */
function webAddress(remote: string): string | undefined {
  const scp = /^(?:[^@/\s]+@)?([\w.-]+\.\w+):(?!\/\/)(.+)$/.exec(remote);
  const [, host, path] = scp ?? /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/(.+)$/.exec(remote) ?? [];
  if (host === undefined || path === undefined) return undefined;
  const way = trimEndOf(path.replace(/\.git\/?$/, "").replace(/^\/+/, ""), "/");
  return way === "" ? undefined : `https://${host}/${way.split("/").map(encodeURIComponent).join("/")}`;
}

function cutAt(line: string, at: number): readonly [string, string] {
  return [line.slice(0, at), line.slice(at + 1)];
}
