import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceHash } from "../../paths/physical-path.ts";
import { copyOperation } from "./operation-under-way.ts";
import type { RepositoryState } from "./repository-state.ts";

/**
 * An operation that a turn has not finished waits here for the session's next turn: what git keeps of it, and the objects that
 * nothing else holds. It is never where git outside could go on with it.
 */
export function savedOperation(root: string, workspace: string) {
  const place = join(root, `operation-${workspaceHash(workspace)}`);
  const objects = join(place, "objects");
  return {
    /** Where its objects are; undefined: there is none. */
    objects: (): string | undefined => (existsSync(objects) ? objects : undefined),
    /** It goes on only where everything is as it was left. False: it cannot. */
    restore(directory: string, state: RepositoryState): boolean {
      if (readText(join(place, "left")) !== leftAt(state)) return !existsSync(place);
      copyOperation(place, directory);
      return true;
    },
    /** `directory` is what the turn has left; its objects are moved. */
    save(directory: string, operation: string, state: RepositoryState): void {
      const draft = `${place}.new`;
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft, { recursive: true, mode: 0o700 });
      copyOperation(operation, draft);
      cpSync(join(directory, "objects"), join(draft, "objects"), { recursive: true });
      if (existsSync(objects)) cpSync(objects, join(draft, "objects"), { recursive: true, force: false });
      rmSync(join(draft, "objects", "info", "alternates"), { force: true });
      writeFileSync(join(draft, "left"), leftAt(state));
      rmSync(place, { recursive: true, force: true });
      renameSync(draft, place);
    },
    isThere: (): boolean => existsSync(place),
    remove: (): void => rmSync(place, { recursive: true, force: true }),
  };
}

function leftAt({ head, refs }: RepositoryState): string {
  return `${head}\n${refs[head.replace(/^ref: /, "")] ?? ""}`;
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
