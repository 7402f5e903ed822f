import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./in-transaction.ts";
import { isAnyOwnerAlive } from "./owner-lock.ts";
import { makePrivateFile } from "./private-files.ts";
import { setAside } from "./set-aside.ts";
import { isUnusable } from "./storage-error.ts";

export const OPENERS_FILE = "caret.open";

/** Long enough for another process that checks a large log as it opens it. */
const ENTER_TIMEOUT_MS = 30_000;
/** Whoever leaves does not wait long: a name that stays on the list costs the next opener a check. */
const LEAVE_TIMEOUT_MS = 500;

export interface OtherOpeners {
  /** Others have the log open now: it must stay where it is. */
  readonly someAlive: boolean;
  /** Others had the log open and died without closing it: it has to be checked. */
  readonly someDied: boolean;
}

export interface LogOpenersOptions {
  readonly directory: string;
  readonly isAlive: (owner: string) => boolean;
  readonly now: () => number;
}

interface Opened {
  readonly owner: string;
}

/** The processes that have the log open. */
export interface LogOpeners {
  /** Run `open`, and sign in under the name that it gives. Nobody else opens the log at the same time. */
  enter<Result extends Opened>(open: (others: OtherOpeners) => Result): Result;
  /** Sign out. Whoever dies without it leaves a name behind, and the next to enter knows of it. */
  leave(): void;
}

/**
 * A file of its own and not a table of the log, because it has to answer when the log cannot be read: a damaged log may
 * only be put aside when nobody has it open. Its write lock also lets processes open the log one after the other, and
 * that is what makes it safe to create and to migrate. It must not be in WAL mode: switching to that is itself a race.
 */
export function createLogOpeners({ directory, isAlive, now }: LogOpenersOptions): LogOpeners {
  const path = join(directory, OPENERS_FILE);
  let own: { readonly id: number | bigint; readonly owner: string } | undefined;

  function change<Result>(timeout: number, work: (database: DatabaseSync) => Result): Result {
    makePrivateFile(path);
    const database = new DatabaseSync(path, { timeout });
    try {
      return inTransaction(database, () => work(database));
    } finally {
      database.close();
    }
  }

  function signIn<Result extends Opened>(open: (others: OtherOpeners) => Result, unlisted: OtherOpeners): Result {
    return change(ENTER_TIMEOUT_MS, (database) => {
      database.exec("create table if not exists opener (id integer not null primary key, owner text not null) strict");
      const rows = database.prepare("select id, owner from opener").all();
      const dead = rows.filter((row) => !isAlive(String(row["owner"])));
      const result = open({
        someAlive: unlisted.someAlive || dead.length < rows.length,
        someDied: unlisted.someDied || dead.length > 0,
      });
      const strike = database.prepare("delete from opener where id = ?");
      for (const row of dead) strike.run(Number(row["id"]));
      const { lastInsertRowid: id } = database.prepare("insert into opener (owner) values (?)").run(result.owner);
      own = { id, owner: result.owner };
      return result;
    });
  }

  return {
    enter(open) {
      try {
        return signIn(open, { someAlive: false, someDied: false });
      } catch (reason) {
        if (!isUnusable(reason)) throw reason;
        // The list is made again. Who was on it is told by their locks; who of them died is not, so the log is checked.
        setAside(path, now);
        return signIn(open, { someAlive: isAnyOwnerAlive(directory), someDied: true });
      }
    },

    leave() {
      if (own === undefined) return;
      const { id, owner } = own;
      own = undefined;
      // By name, too: a list that was made again counts from one.
      change(LEAVE_TIMEOUT_MS, (database) =>
        database.prepare("delete from opener where id = ? and owner = ?").run(id, owner),
      );
    },
  };
}
